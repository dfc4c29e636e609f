"""Device names in questions."""

import pytest

from assistant.manuals.named import DeviceNames

NAMES = DeviceNames({"vfd2": "VX200", "P-102": "VX200", "pump 2": "VX200", "2号泵": "VX200", "lt1": "LT50", "雷达液位计": "LT50"})


@pytest.mark.parametrize(
    ("text", "rest", "models"),
    [
        ("P-102 shows F07, what should I do?", "shows F07, what should I do?", {"vx200"}),
        ("p-102报F07怎么办", "报F07怎么办", {"vx200"}),
        ("2号泵报F07怎么办", "报F07怎么办", {"vx200"}),
        ("Pump 2 and LT1", "and", {"vx200", "lt50"}),
        ("P-1021 and pump 22", "P-1021 and pump 22", set()),
        ("雷达液位计盲区是多少？", "盲区是多少？", {"lt50"}),
        ("pump 2", "pump 2", {"vx200"}),
    ],
)
def test_names_are_taken_out_and_give_the_model(text: str, rest: str, models: set[str]) -> None:
    assert NAMES.take(text) == (rest, frozenset(models))
