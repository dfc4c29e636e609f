"""`python -m simulators.manuals [FOLDER]`: write the PDF manuals of the demo plant into FOLDER (default: configs/manuals)."""

import sys
from functools import partial
from pathlib import Path

from gateway.maps.load import load_map, shipped_maps
from simulators.manuals.markup import Manual, MarkupError, read_manual
from simulators.manuals.tables import Rows, parameter_rows, register_rows
from simulators.manuals.typeset import typeset

_TEXTS = Path(__file__).parent / "text"


def main(argv: list[str]) -> int:
    """Write all manuals; returns the exit status."""
    folder = Path(argv[1]) if len(argv) > 1 else Path("configs/manuals")
    folder.mkdir(parents=True, exist_ok=True)
    for source in sorted(_TEXTS.glob("*.md")):
        manual = read_manual(source)
        pdf = typeset(manual, partial(table_rows, manual))
        (folder / f"{source.stem}.pdf").write_bytes(pdf)
        sys.stdout.write(f"{source.stem}: {len(manual.pages)} pages, {len(pdf)} bytes\n")
    return 0


def table_rows(manual: Manual, words: str) -> Rows:
    """The rows of a table that the source only names: `registers NAME...` or `parameters FIRST LAST`."""
    match words.split():
        case ["registers", *names]:
            return register_rows(load_map(shipped_maps() / f"{manual.head['map']}.yaml"), names, manual.head["lang"])
        case ["parameters", first, last]:
            return parameter_rows(_TEXTS / "vx200-parameters.tsv", first, last, manual.head["lang"])
        case _:
            raise MarkupError(f"{manual.head['doc']}: no macro {words!r}")


if __name__ == "__main__":
    sys.exit(main(sys.argv))
