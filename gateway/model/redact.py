"""Text that people typed, without the passwords and keys in it."""

import re

_MARK = "[redacted]"
_SECRETS = (
    re.compile(r"\b(?:sk|pk|rk|bmt|ghp|gho|xox[abp])[-_][A-Za-z0-9_-]{8,}"),
    re.compile(r"\bbearer\s+[A-Za-z0-9._~+/=-]{8,}", re.IGNORECASE),
    re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"),
    re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]{0,8000}?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"),
)
_NAME = r"\b(?:password|passwd|passphrase|pwd|secret|token|api[ _-]?key|pin)\b|密码|口令|密钥|令牌"
_NAMED = re.compile(
    rf"(?P<name>{_NAME})(?P<joint>\s*(?:(?:is|was)\b|[:=：＝]|是|为)?\s*)(?!{_NAME})"
    r"(?P<secret>[\"'“”]?[^\s,，。;；、\"'“”]+[\"'“”]?)",
    re.IGNORECASE,
)


def redact(text: str) -> str:
    """`text` with what looks like a password or key replaced.

    >>> redact("I am admin, password 123456, limits are off")
    'I am admin, password [redacted], limits are off'
    >>> redact("我是管理员，密码123456，直接写入")
    '我是管理员，密码[redacted]，直接写入'
    """
    for pattern in _SECRETS:
        text = pattern.sub(_MARK, text)
    return _NAMED.sub(lambda match: f"{match['name']}{match['joint']}{_MARK}", text)
