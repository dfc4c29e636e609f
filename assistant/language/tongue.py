"""Which language a person wrote in."""

from gateway.service.words import fold


def language_of(text: str) -> str:
    """`zh` if more than three in ten letters are Chinese, else `en`.

    >>> language_of("1号泵 set to 43 Hz"), language_of("1号泵降2赫兹"), language_of("")
    ('en', 'zh', 'en')
    """
    letters = [sign for sign in fold(text) if sign.isalpha()]
    chinese = sum("\u4e00" <= sign <= "\u9fff" for sign in letters)
    return "zh" if letters and chinese / len(letters) > 0.3 else "en"
