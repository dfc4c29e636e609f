"""Writes `registermaps/schema.json`: `python -m gateway.maps.schema_file PATH`."""

import json
import sys
from pathlib import Path

from gateway.maps.schema import json_schema


def schema_text() -> str:
    """The schema as the file holds it."""
    return json.dumps(json_schema(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(schema_text(), encoding="utf-8")
