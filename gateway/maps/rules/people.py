"""Words for people: names in both languages, aliases that mean one point, where an entry was typed from."""

import unicodedata
from collections.abc import Iterator, Mapping

from gateway.maps.rules.base import Fault, Item, MapView
from gateway.model.point import Point, Text
from gateway.yamlfile import YamlPath


def names(item: Item, _around: MapView) -> Iterator[Fault]:
    """`no_name`, `missing_translation`."""
    point, model = item.point, item.model
    if model.name is None:
        yield Fault((), "no_name", f"{point.name} has no name for people", "add `name: {en: ..., zh: ...}`")
    else:
        yield from _translated(("name",), model.name.text())
    if model.description is not None:
        yield from _translated(("description",), point.description)


def proof(item: Item, around: MapView) -> Iterator[Fault]:
    """`no_page`: a community map has no manual to cite."""
    point = item.point
    if not (point.page or point.section or point.source) and around.level != "community":
        yield Fault((), "no_page", f"{point.name} does not say where it was typed from", "add `page:` of the manual, or `source:`")


def aliases(items: Mapping[str, Item], _around: MapView) -> Iterator[tuple[Item, Fault]]:
    """`alias_taken`, `same_name`."""
    points = {name: item.point for name, item in items.items()}
    for name, alias, other in taken_aliases(points):
        item = items[name]
        keys: YamlPath = ("aliases", item.point.aliases.index(alias))
        yield item, Fault(keys, "alias_taken", f"{alias!r} already means {other}", "make each alias mean one point")
    titles: dict[str, str] = {}
    for name, point in points.items():
        for words in {fold(point.title.en), fold(point.title.zh)} - {""}:
            other = titles.setdefault(words, name)
            if other != name:
                yield (
                    items[name],
                    Fault(("name",), "same_name", f"{name} is called the same as {other}", "say in the name what tells them apart"),
                )


def alias_meanings(points: Mapping[str, Point]) -> dict[str, str]:
    """Folded alias or name -> the point it means."""
    meant = {fold(name): name for name in points}
    for name, point in points.items():
        for alias in point.aliases:
            meant.setdefault(fold(alias), name)
    return meant


def taken_aliases(points: Mapping[str, Point]) -> Iterator[tuple[str, str, str]]:
    """Point, alias and the other point that the alias already means."""
    meant = alias_meanings(points)
    for name, point in points.items():
        for alias in point.aliases:
            other = meant[fold(alias)]
            if other != name:
                yield name, alias, other


def fold(words: str) -> str:
    """What two spellings have in common: case, width and spacing set aside.

    >>> fold("Ｐ－101  Pump") == fold("p-101 pump")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", words).casefold().split())


def _translated(keys: YamlPath, text: Text) -> Iterator[Fault]:
    if not text.en or not text.zh:
        missing = "zh" if text.en else "en"
        yield Fault(
            keys, "missing_translation", f"{text.en or text.zh!r} has no {missing}", f"add `{missing}:`; operators read both languages"
        )
