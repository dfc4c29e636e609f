"""No reply over Modbus/TCP is put together from two, whatever comes late, twice, in part or in pieces."""

import random

import pytest

from tests.fuzz.broken_talk import Talk


@pytest.mark.parametrize("seed", [13, 170, 187, 217, 223, 372])
def test_no_value_is_made_of_two_replies(seed: int) -> None:
    """Talks in which a late reply in pieces once completed one that had broken off."""
    ends = Talk(random.Random(seed), share=0.4).run(500)  # noqa: S311 - repeatable, no secret
    assert ends["wrong"] == 0, ends
    assert ends["right"] > 250, ends
    assert ends["LINK_DOWN"] > 0, "one that broke off and another one met"
