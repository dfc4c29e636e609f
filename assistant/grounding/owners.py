"""Does a number belong to the device that the answer names with it? Pump 1's temperature is not pump 2's."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assistant.grounding.matching import is_said_back, matches
from assistant.grounding.quantities import Quantity
from assistant.grounding.statement import Statement, read, read_source

SENTENCE = re.compile(r"[\n;；。！？!?]|\.(?=\s|$)")
_TAG = re.compile(r"(?<![\w.])([A-Za-z][\w-]*)\.[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class OwnedLine:
    """A line of an observation; `owners` are all names of the devices whose tags stand in it, none where no tag does."""

    text: str
    owners: frozenset[str]
    statement: Statement


def misplaced(answer: str, observed: Sequence[str], asked: Statement) -> list[str]:
    """The numbers that stand in the observed lines, but for another device than the one named before them.

    >>> lines = ["vfd1.motor_temp 78 degC | pump P-101 drive", "vfd2.motor_temp 41 degC | pump P-102 drive"]
    >>> asked = read("How warm are the pumps?")
    >>> misplaced("Pump 1 is at 78 degC, pump 2 at 41 degC.", lines, asked), misplaced("Pump 1 is at 41 degC.", lines, asked)
    ([], ['41 degC'])
    """
    lines = owned_lines(observed)
    return [
        said.text
        for sentence in SENTENCE.split(answer)
        for said, names in _named_quantities(read(sentence))
        if not _belongs(said, names, lines, answer) and not is_said_back(said, asked.quantities, answer)
    ]


def owned_lines(observed: Sequence[str]) -> list[OwnedLine]:
    """A device goes by all the names that stand on a line with its tag alone: vfd1, P-101, 1."""
    read_lines = [(frozenset(match[1].lower() for match in _TAG.finditer(line)), read_source(line)) for line in observed]
    names: dict[str, frozenset[str]] = {}
    for devices, statement in read_lines:
        for device in devices:
            alone = {name for _, name in statement.mentions} if len(devices) == 1 else {device}
            names[device] = names.get(device, frozenset()) | alone | {name[-1] for name in alone if name[-1].isdigit()}
    return [
        OwnedLine(line, frozenset().union(*(names[device] for device in devices)), statement)
        for line, (devices, statement) in zip(observed, read_lines, strict=True)
    ]


def _named_quantities(statement: Statement) -> Iterator[tuple[Quantity, frozenset[str]]]:
    """Each quantity with the names before it, back to the quantity before; sentences that begin with a number are left out."""
    quantities = sorted(statement.quantities, key=lambda quantity: quantity.start)
    if not quantities or not statement.mentions or min(statement.mentions)[0] > quantities[0].start:
        return
    names: frozenset[str] = frozenset()
    after = -1
    for quantity in quantities:
        between = frozenset(name for at, name in statement.mentions if after < at < quantity.start)
        names = between or names
        after = quantity.start
        yield quantity, names


def _belongs(said: Quantity, names: frozenset[str], lines: Sequence[OwnedLine], answer: str) -> bool:
    """True unless lines about a device of that name exist, and only lines about others hold the number."""
    theirs = [line for line in lines if names & line.owners]
    holders = [line for line in lines if any(matches(said, source, answer) for source in line.statement.quantities)]
    return not theirs or not holders or any(not line.owners or names & line.owners for line in holders)
