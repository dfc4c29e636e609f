"""Seeded bad files: what each is expected to give stands at its lines as `#! code code`."""

import re
from collections import Counter
from pathlib import Path

GOLDEN = Path(__file__).parent / "golden"


def expected(path: Path) -> Counter[tuple[int, str]]:
    """Line and code of each finding the file asks for."""
    found: Counter[tuple[int, str]] = Counter()
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        marker = re.search(r"#! (.+)$", line)
        found.update((number, code) for code in (marker[1].split() if marker else []))
    return found
