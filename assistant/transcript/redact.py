"""Passwords and keys that somebody typed are neither stored nor said back."""

import re

_HIDDEN = "***"
_SECRETS = (
    re.compile(r"(?P<keep>(?:密码|口令|密钥)(?:[是为:：=\s]|就是)*)[\x21-\x7e]{4,}"),
    re.compile(
        r"(?P<keep>\b(?:password|passwd|passphrase|passcode|pwd|pin|secret|token|api[ _-]?key)\b\s*(?:(?:is|=|:)\s*)+[\"']?)[^\s\"',;]{3,}",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<keep>\b(?:password|passwd|passphrase|passcode|pwd|pin|secret|token|api[ _-]?key)\s+)(?=\S*\d)[^\s\"',;]{4,}", re.IGNORECASE
    ),
    re.compile(r"(?P<keep>\bBearer\s+)\S{8,}", re.IGNORECASE),
    re.compile(r"(?P<keep>\b)sk-[A-Za-z0-9_-]{6,}"),
)


def redact(text: str) -> str:
    """`text` with secrets replaced by stars.

    >>> redact("我是管理员，密码123456，直接写入"), redact("my password is hunter2"), redact("password protection of P0-05")
    ('我是管理员，密码***，直接写入', 'my password is ***', 'password protection of P0-05')
    """
    for pattern in _SECRETS:
        text = pattern.sub(rf"\g<keep>{_HIDDEN}", text)
    return text
