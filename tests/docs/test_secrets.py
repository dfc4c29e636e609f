"""No tracked file holds a private key, a token or a password that opens anything."""

import math
import re
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_LARGEST = 5_000_000

KEYS = {
    "private key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40}"),
    "busmate token": re.compile(r"\bbmt_[A-Za-z0-9_-]{40,}"),
    "model server key": re.compile(r"\bsk-(?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{20,}"),
    "github token": re.compile(r"\b(?:ghp|gho|ghs|ghu)_[A-Za-z0-9]{30,}|\bgithub_pat_[A-Za-z0-9_]{40,}"),
    "slack token": re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{20,}"),
    "aws key": re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
    "google key": re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b"),
    "json web token": re.compile(r"\beyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{15,}"),
    "address with password": re.compile(r"\b(?!https?://user:)[a-z][a-z0-9+]{2,20}://[^\s:/@\"'{}<>]+:[^\s:/@\"'{}<>]{8,}@[a-z0-9]"),
}
_ASSIGNED = re.compile(r"(?i)(?:password|passwd|secret|token|api_?key)[\"']?\s*[:=]\s*[\"']([A-Za-z0-9+/=_-]{20,})[\"']")
_BITS_A_SIGN = 4.0
"""Random text of 20 signs and more has about this many bits a sign; words and names have fewer."""


def found(text: str) -> Iterator[str]:
    """What kinds of secrets a text holds."""
    yield from (kind for kind, pattern in KEYS.items() if pattern.search(text))
    yield from ("assigned random text" for match in _ASSIGNED.finditer(text) if _is_random(match.group(1)))


def _is_random(text: str) -> bool:
    bits = -sum(count / len(text) * math.log2(count / len(text)) for count in Counter(text).values())
    return bits >= _BITS_A_SIGN and bool(re.search(r"\d", text)) and bool(re.search(r"[A-Z]", text)) and bool(re.search(r"[a-z]", text))


def tracked() -> list[Path]:
    """Every file of the repository."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout: there are no tracked files to look at")
    return [ROOT / name for name in listed.stdout.decode().split("\0") if name]


def test_no_tracked_file_holds_a_secret() -> None:
    files = tracked()
    assert len(files) > 500
    wrong = {}
    for path in files:
        if path.is_file() and path.stat().st_size < _LARGEST and path.name != "requirements.lock":
            kinds = sorted(set(found(path.read_bytes().decode("utf-8", "replace"))))
            if kinds:
                wrong[str(path.relative_to(ROOT))] = kinds
    assert wrong == {}


RANDOM = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC2dE3fG4"
PLANTED = {
    "private key": "-----BEGIN RSA " + "PRIVATE KEY-----\n" + RANDOM,
    "busmate token": "bm" + "t_" + RANDOM,
    "model server key": "sk" + "-" + RANDOM,
    "github token": "gh" + "p_" + RANDOM,
    "slack token": "xox" + "b-" + RANDOM,
    "aws key": "AK" + "IA" + "ABCDEFGH12345678",
    "google key": "AI" + "za" + RANDOM[:35],
    "json web token": ".".join(["ey" + "J" + RANDOM, "ey" + "J" + RANDOM, RANDOM]),
    "address with password": "postgresql" + "://user:" + RANDOM[:10] + "@db/busmate",
    "assigned random text": "pass" + f"word = '{RANDOM}'",
}


@pytest.mark.parametrize(("kind", "text"), PLANTED.items(), ids=PLANTED)
def test_planted_secret_is_found(kind: str, text: str) -> None:
    assert kind in set(found(f"before\nx = 1 {text}\nafter"))


HARMLESS = [
    'password = "a-password-for-tests"',
    "token: {type: string, description: what}",
    "sk-abcdefgh",
    "code = secrets.token_urlsafe(20)",
    "postgresql+psycopg://USER@HOST/DATABASE",
]


@pytest.mark.parametrize("text", HARMLESS, ids=range(len(HARMLESS)))
def test_words_about_secrets_are_none(text: str) -> None:
    assert list(found(text)) == []


def test_every_kind_is_planted() -> None:
    assert set(PLANTED) == {*KEYS, "assigned random text"}
