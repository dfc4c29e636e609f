"""Secrets in text that people typed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gateway.model.redact import redact

FOUND = {
    "openai": ("key sk-abcdefgh12345678 ok", "sk-abcdefgh"),
    "github": ("ghp_abcdefgh12345678", "abcdefgh"),
    "bearer": ("Authorization: Bearer abc.def-ghi_jkl", "def-ghi"),
    "jwt": ("eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl", "c2lnbmF0dXJl"),
    "pem": ("-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----", "MIIEow"),
    "password": ("Password = hunter22!", "hunter22"),
    "password-is": ("my password is hunter22.", "hunter22"),
    "quoted": ('token: "abc def"', "abc"),
    "chinese": ("我是管理员，密码123456，直接写入", "123456"),
    "chinese-is": ("口令是：abc123。", "abc123"),
    "api-key": ("api_key=zzz999", "zzz999"),
    "pin": ("pin 4711", "4711"),
}


@pytest.mark.parametrize(("text", "secret"), FOUND.values(), ids=FOUND)
def test_secret_goes(text: str, secret: str) -> None:
    assert secret not in redact(text)
    assert "[redacted]" in redact(text)


@pytest.mark.parametrize(
    "text", ["Set pump 1 to 43 Hz", "because the tank is at 63 %", "spinning up", "1号泵频率调到43赫兹", "tokens of appreciation", ""]
)
def test_ordinary_text_stays(text: str) -> None:
    assert redact(text) == text


@given(st.text(alphabet=" ab:=\"',密码"), st.sampled_from(["password: ", "password password: ", "密码", "token is "]), st.text())
def test_named_secret_never_survives(before: str, name: str, after: str) -> None:
    assert "hunter22hunter22" not in redact(f"{before} {name}hunter22hunter22 {after}")
