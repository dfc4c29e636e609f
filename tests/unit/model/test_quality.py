"""Quality follows from the reason, and roles include those below."""

import pytest

from gateway.model.point import Role, Text
from gateway.model.quality import Quality, quality_of
from gateway.model.sample import Sample, Tag


@pytest.mark.parametrize(
    ("reason", "quality"),
    [
        (None, Quality.GOOD),
        ("stale", Quality.UNCERTAIN),
        ("out_of_range", Quality.UNCERTAIN),
        ("timeout", Quality.BAD),
        ("exception_2", Quality.BAD),
        ("not_fitted", Quality.BAD),
    ],
)
def test_quality_follows_from_the_reason(reason: str | None, quality: Quality) -> None:
    assert quality_of(reason) is quality
    assert Sample(tag=Tag("plc1.level"), value=1, reason=reason).quality is quality


@pytest.mark.parametrize(
    ("role", "other", "includes"),
    [
        (Role.OPERATOR, Role.VIEWER, True),
        (Role.OPERATOR, Role.OPERATOR, True),
        (Role.OPERATOR, Role.ENGINEER, False),
        (Role.ADMIN, Role.ENGINEER, True),
    ],
)
def test_role_includes_those_before_it(role: Role, other: Role, includes: bool) -> None:
    assert role.includes(other) is includes


@pytest.mark.parametrize(
    ("text", "lang", "words"),
    [
        (Text(en="on", zh="开"), "en", "on"),
        (Text(en="on", zh="开"), "zh", "开"),
        (Text(en="on"), "zh", "on"),
        (Text(zh="开"), "en", "开"),
    ],
)
def test_text_falls_back_to_the_other_language(text: Text, lang: str, words: str) -> None:
    assert text.in_(lang) == words
