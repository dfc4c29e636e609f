"""Names of this plant's devices in a question: no manual knows them, but they say whose manual is meant."""

import re
from collections.abc import Mapping


class DeviceNames:
    """Finds device names (ids and what operators call them) in text; `models` maps each to its model."""

    def __init__(self, models: Mapping[str, str]) -> None:
        self._models = {name.casefold(): model for name, model in models.items()}
        names = sorted(self._models, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(_bounded, names)), re.IGNORECASE) if names else None

    def take(self, text: str) -> tuple[str, frozenset[str]]:
        """The text without the names, and the models they stand for (lower case); the text as it is if nothing else would be left.

        >>> DeviceNames({"P-102": "VX200"}).take("P-102 shows F07")
        ('shows F07', frozenset({'vx200'}))
        """
        if self._pattern is None:
            return text, frozenset()
        found = frozenset(self._models[name.casefold()].casefold() for name in self._pattern.findall(text))
        rest = " ".join(self._pattern.sub(" ", text).split())
        return (rest if any(sign.isalnum() for sign in rest) else text), found


def _bounded(name: str) -> str:
    """Whole words only, but for Chinese, which has no gaps between them."""
    left = r"(?<![A-Za-z0-9_-])" if name[:1].isascii() else ""
    right = r"(?![A-Za-z0-9_-])" if name[-1:].isascii() else ""
    return f"{left}{re.escape(name)}{right}"
