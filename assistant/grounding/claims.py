"""Claims in an answer that something was done, which only the gateway's own record may say."""

import re

_CHANGED = (
    r"set|changed|adjusted|written|updated|raised|lowered|increased|decreased|reduced|executed|applied|completed|carried out|performed|made"
    r"|reverted|undone|switched|turned (?:on|off)"
)
_STATES = r"started|stopped|opened|closed|reset|acknowledged|cleared|confirmed|enabled|disabled"
_ADVERB = r"(?:now|just|already|successfully|been|fully)"
_ENGLISH = (
    re.compile(rf"\b(?:has|have|had)\s+(?:{_ADVERB}\s+)*been\s+(?:{_ADVERB}\s+)*(?P<verb>{_CHANGED}|{_STATES})\b", re.IGNORECASE),
    re.compile(rf"\b(?:is|are)\s+(?:now\s+(?:{_ADVERB}\s+)*(?:{_CHANGED}|{_STATES})|(?:{_CHANGED}|{_STATES})\s+now)\b", re.IGNORECASE),
    re.compile(rf"\b(?:was|were)\s+(?:{_ADVERB}\s+)*(?:{_CHANGED}|{_STATES})\s+(?:successfully|as requested|for you)\b", re.IGNORECASE),
    re.compile(rf"\bsuccessfully\s+(?:{_CHANGED}|{_STATES})\b|\b(?:{_CHANGED}|{_STATES})\s+successfully\b", re.IGNORECASE),
    re.compile(r"(?:^|[.!:;,，]\s*)(?:all\s+)?done\b(?!\s+by)|\bit(?:'s| is| has been)\s+done\b", re.IGNORECASE),
)
_FIRST_PERSON = (
    re.compile(
        rf"\b(?:I|we)(?:'ve|\s+have)?\s+(?:{_ADVERB}\s+)*(?:{_CHANGED}|{_STATES}|did it)\b(?!\s+out)"
        r"|\bI'm\s+(?:now\s+)?(?:setting|changing|stopping|starting)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"我(?:们)?(?:已|刚|现在)?(?:经|才)?(?:把|将|帮您|帮你|为您|为你).{0,20}?(?:设|调|改|写|启|停|关|开|复位|清零|确认)[^，。；吗？?]{0,12}?(?:了|好|完)"
    ),
    re.compile(r"已(?:经)?(?:帮|为|替|按)(?:您|你|要求)"),
)
_CHINESE = (
    re.compile(
        r"(?P<not>[未没不尚否]\S{0,2})?已(?:经)?(?:成功)?(?:被)?(?P<verb>设置|设定|设为|调|改|修改|更改|写入|下发|执行|完成|更新|切换|降|升|提高|增|减|撤销|恢复为)"
    ),
    re.compile(
        r"(?P<not>[未没不尚否]\S{0,2})?已(?:经)?(?:成功)?(?:被)?(?P<verb>启动|停止|停机|停了|停|关闭|打开|开启|复位|清零|确认|屏蔽)"
    ),
    re.compile(r"(?P<not>[未没不尚])?(?P<verb>(?:设置|设定|修改|写入|操作|执行|复位|启动|停止|调整|更改)(?:已)?(?:成功|完成|完毕))"),
    re.compile(r"(?:^|[，。！；])\s*(?P<verb>搞定|办好了|做好了|完成了)"),
)
_WAITING = re.compile(
    r"\b(?:waiting|waits|awaits|awaiting|pending)\s+(?:for\s+)?(?:your|a|the)?\s*(?:confirmation|approval)\b"
    r"|\bproposal\s+(?:has been|was|is)\s+(?:created|submitted|pending|made)\b"
    r"|等待(?:您|你)?的?确认|已(?:提交|创建|生成).{0,6}(?:提议|提案|申请|建议|确认卡)",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:\b(?:no|not|nothing|never|none|neither|cannot|if|once|until|when|after|before|unless|whether)\b|n't)[^.,;:!?]*$", re.IGNORECASE
)
_NEGATED_CHINESE = re.compile(r"(?:未|没有|没|尚未|不会|不能|无法|是否|如果|若|待|确认后|才会)[^，。；：！？]{0,12}$")
_RECORDED = re.compile(r"\bverified\b|\backnowledged\b|\bACK_ACTIVE\b|\bdiffers\b", re.IGNORECASE)
_STATE_WORDS = {
    "stop": re.compile(r"\bstopped\b|停"),
    "start": re.compile(r"\bstarted\b|\brunning\b|启动|运行"),
    "ack": re.compile(r"\backnowledged\b|\bACK_ACTIVE\b|已确认|\backed\b"),
    "other": re.compile(r"\bcleared\b|\bRTN_UNACK\b|\bopen(?:ed)?\b|\bclosed\b|\breset\b|shelved|关|开|复位|屏蔽|恢复"),
}
_VERB_STATE = (
    ("stop", "stop", "停"),
    ("start", "start", "启动"),
    ("ack", "acknowledg", "确认"),
    ("ack", "confirm", "确认"),
)
_ASKS_CHANGE = re.compile(
    r"^\W*(?:please|pls|now|then|and|ok(?:ay)?|ignore|you are)?\b.{0,60}?\b"
    r"(?:set|change|raise|lower|increase|decrease|reduce|start|stop|run|reset|acknowledge|ack|undo|revert|turn|switch|write|put|make|clear"
    r"|open|close|enable|disable|speed up|slow down)\b",
    re.IGNORECASE,
)
_ASKS_PAST = re.compile(
    r"^\W*(?:who|when|what|why|how|which|where|did|does|do|has|have|had|is|are|was|were|can|could|should|list|show)\b|谁|什么时候|几点|吗|为什么|多少|哪|怎么|是不是|有没有",
    re.IGNORECASE,
)
_ASKS_CHANGE_CHINESE = re.compile(r"设|调|改|升|降|提高|启动|停|开|关|复位|清零|确认|撤销|写入|切换|再[高低]")


def false_claims(answer: str, observations: str, question: str, *, has_proposal: bool) -> list[str]:
    """The phrases of `answer` that say something was done (or waits for confirmation) that this turn cannot know.

    The assistant executes nothing, so a claim in the first person is never true. What somebody did earlier may be told when the
    observations record it, and never as the answer to a request for a change.
    """
    change = asks_change(question)
    found = [match[0] for pattern in _FIRST_PERSON for match in pattern.finditer(answer) if not _negated(answer, match.start())]
    if not has_proposal:
        found += [match[0] for match in _WAITING.finditer(answer)]
    for pattern in (*_ENGLISH, *_CHINESE):
        for match in pattern.finditer(answer):
            if (
                not _negated(answer, match.start())
                and not match.groupdict().get("not")
                and (change or not _supported(match[0], observations))
            ):
                found.append(match[0])
    return found


def asks_change(question: str) -> bool:
    """True if the operator asks to change something; in doubt yes, for then no claim of success is let through."""
    if _ASKS_PAST.search(question) and not re.search(r"^\W*(?:can|could) you\b|请|帮我", question, re.IGNORECASE):
        return False
    return bool(_ASKS_CHANGE.search(question) or _ASKS_CHANGE_CHINESE.search(question))


def _negated(answer: str, at: int) -> bool:
    return bool(_NEGATED.search(answer[:at]) or _NEGATED_CHINESE.search(answer[:at]))


def _supported(claim: str, observations: str) -> bool:
    if _RECORDED.search(observations):
        return True
    kind = next((state for state, english, chinese in _VERB_STATE if english in claim.lower() or chinese in claim), "other")
    return not re.search(_CHANGED + r"|设|调|改|写|执行|完成|成功|更新|降|升|增|减", claim, re.IGNORECASE) and bool(
        _STATE_WORDS[kind].search(observations)
    )
