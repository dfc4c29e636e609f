"""Does an operator's own message ask for a change, and for which: the intent gate before any proposal.

Questions, conditions, wishes put in the negative and reports of what happened ask for nothing.
"""

import re
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from assistant.language.amounts import Amount, amounts_in, plain
from gateway.service.words import instances_of, words_of

WishKind = Literal["set", "more", "less", "on", "off", "reset", "mode", "ack", "undo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """A change that was asked for.

    `amount` is the wanted value (set) or the size of the step (more, less), `factor` a wanted multiple of the old value,
    `label` the wanted state of a switch, `subject` the sentence without verbs and amounts.
    """

    kind: WishKind
    subject: str
    amount: Amount | None = None
    factor: Decimal | None = None
    label: str = ""
    extreme: Literal["", "max", "min"] = ""


def wish_of(message: str) -> Wish | None:
    """The change that the message asks for, or None.

    >>> wish_of("Set pump 1 to 4 3 Hz").amount.value, wish_of("把1号泵停了。").kind, wish_of("再高两赫兹。").kind
    (Decimal('43'), 'off', 'more')
    >>> wish_of("Can I reset pump 2 now?"), wish_of("2号泵能复位吗？"), wish_of("Don't stop pump 1.")
    (None, None, None)
    """
    said: list[str] = []
    for sentence in _SENTENCE.split(plain(message)):
        clauses = [part.strip() for part in _CLAUSE.split(sentence) if part.strip()]
        conditional = _CONDITION.search(sentence.strip()) is not None
        asked = sentence.rstrip().endswith(("?", "？")) and bool(clauses) and _ASKING_EN.search(_politeness_off(clauses[0])) is not None
        for clause in clauses:
            found = None if conditional or asked else _in_clause(clause)
            if found is not None:
                return (
                    found
                    if words_of(found.subject).terms or words_of(found.subject).identifiers
                    else replace(found, subject=" ".join([*said, found.subject]))
                )
            said.append(clause)
    return None


_STATES = {
    "auto": "auto|automatic|自动",
    "manual": "manual|hand|手动",
    "local": "local|就地|本地",
    "remote": "remote|远程|远方",
    "off": "off|关闭|关",
    "on": "on",
}
_STATE = "|".join(f"(?P<{name}>{words})" for name, words in _STATES.items())
_SENTENCE = re.compile(r"(?<=[?!;？！；。\n])|(?<=[a-z)%\u4e00-\u9fff]{2}\.)(?=\s|$)|(?<=\d\.)(?=\s+[a-z])")
_CLAUSE = re.compile(r"(?<=[，,])(?!\d)|(?<=[:：])(?!\s*-?\d)| and (?!half)| then |(?=然后|并且|再把)")
_CONDITION = re.compile(
    r"^(?:if|when|whenever|once|after|before|unless|until|as soon as|in case|while|tomorrow|tonight|later|in \d+ ?(?:min|h|s))\b"
    r"|^(?:如果|假如|假设|要是|万一|等|明天|今晚|待会|一会儿?)"
    r"|(?:的时候|之后|以后|时|后)[,，]|(?:\b(?:when|once|as soon as|if|unless|until|in \d+ ?min\w*|in \d+ ?hours?|at \d+:\d+|tomorrow"
    r"|later)\b.*$)|\b(?:says?|said|reads|states?|writes?|tells?|claims?)\b[^.]{0,20}:|(?:说|写着|写道|提到)[:：,，]|分钟后|小时后"
    r"|明天|\d:\d\d(?:的时候|时|再)"
)
_POLITE = re.compile(
    r"^(?:and|then|so|plz|pls|ok(?:ay)?|well|now|hey|hi|hello|yes|yeah|no|please|kindly|just|go ahead(?: and)?|quickly|immediately"
    r"|directly|also|alright|right"
    r"|(?:can|could|would|will) (?:you|u)(?: please| kindly)?(?: (?:go ahead and|just|help(?: me)?))?|i (?:want|need|would like"
    r"|'d like|wish)(?: you)?(?: to)?|i'd like(?: you)?(?: to)?"
    r"|we (?:need|want|have)(?: you)?(?: to)?|let's|lets|let us|you (?:must|should|can|may)|try to|would you mind|call \S+ to|busmate"
    r"|assistant|operator here)\b[\s,:]*"
)
_POLITE_ZH = re.compile(
    r"^(?:那么?|好的?|嗯|行|现在|马上|立即|立刻|赶紧|直接|麻烦你?|请你?|帮我|给我|帮忙|我想|我要|我需要|你|您|可以|能|能不能|可不可以"
    r"|可否|能否|然后|再|就|先|都|,)+"
)
_REQUEST_ZH = re.compile(r"(?:能不能|可不可以|能否|可否|可以|能)(?:请)?(?:帮|给|替|把|将)|请|帮我|麻烦")
_ASKING_EN = re.compile(
    r"^(?:what|why|when|who|whose|whom|how|which|where|is|are|was|were|does|do|did|has|have|had|should|shall|may|might|must"
    r"|can (?!you)|could (?!you)"
    r"|would (?!you)|will (?!you)|am|if|whether|tell|show|list|explain|describe|compare|check|give|read|find|summari[sz]e|report|any"
    r"|in case|suppose)\b"
)
_ASKING_ZH = re.compile(
    r"吗|多少|什么|怎么|怎样|如何|为何|是否|有没有|能不能|可不可以|要不要|需不需要|是不是|哪|几点|几次|谁|何时|多久|没有|如果|假如"
    r"|万一|的话|呢|能否|可否|查|列出|比较|告诉|显示"
)
_NEGATIVE = re.compile(
    r"^(?:do not|don't|dont|never|no need|not|without|cannot|stop asking)\b|^(?:不要|别|勿|不用|不必|禁止|不能|不得|不可)"
    r"|n't\b.*\b(?:set|stop|start|change)"
)
_REPORT_ZH = re.compile(r"(?:停|开|关|启动|复位|跳|坏|响|掉|升高|降低)了$|已经|刚才|自己|一直|报警了")
_VERB = {
    "ack": r"acknowledge|ack\b|确认(?=.*(?:报警|警报|告警|al-?\d))|(?:报警|警报|告警|al-?\d+).{0,4}确认|accept (?=.*alarm)",
    "undo": (
        r"undo|revert|roll(?: it)? back|restore (?=.*(?:previous|old|last|before))|take back|撤销|撤回|还原|改回|调回|退回|恢复(?:到|成"
        r"|为)?(?=.*(?:原|之前|上一|以前|上次|前))|恢复(?=.{0,6}设定)|back to (?:what|where|the (?:previous|old|last|former))|(?:change"
        r"|put|set|turn|switch|bring) (?:it|that|this) back$"
    ),
    "reset": r"reset|clear|zero\b|复位|清零|清除|重置|归零",
    "mode": (
        rf"(?:set|switch|put|change|turn|bring|go|move|place)\b(?=.*\b(?:to|in|into"
        rf"|on)?\s*(?:{'|'.join(w for n, w in _STATES.items() if n not in ('on', 'off'))})\b)|(?:切换?|转|换|改|设|打|投|调)(?:到|成|为|至"
        rf"|回|换到|换成|换为)?(?=(?:自动|手动|就地|远程|本地|远方))"
    ),
    "off": (
        r"stop\b|shut ?(?:down|off)?|halt\b|kill\b|(?:turn|switch|power) (?:it |.{1,30}? )?off\b|(?:turn|switch|power) off|deactivate"
        r"|disable|停止|停机|停掉|停下|停一下|停(?!车|电)|关闭|关掉|关停|关机|断开|关(?!于|注|系|键)"
    ),
    "on": (
        r"start\b|(?:turn|switch|power) (?:it |.{1,30}? )?on\b|activate|enable|启动|开启|起动|打开|开机|投运|投入运行|投入|开起来|开一下"
        r"|(?<![急打离])开(?!到|始|关|着|至|成|度|大|小|高|低)"
    ),
    "more": (
        r"提速|升速|加速(?!时间|斜|度)|raise|increase|lift|bump(?: up)?|step up|speed up|turn (?:it |.{1,30}? )?up|push up|boost|higher"
        r"|faster|(?:提高|提升|升高|调高|调大|加大|增加|增大|加快|加高|上调|升|加(?!药|热|氯|速)|高|大|快)"
    ),
    "less": (
        r"降速|减速(?!时间|度)|lower|reduce|decrease|drop|cut\b|slow(?: down)?|turn (?:it |.{1,30}? )?down|bring down|step down|slower"
        r"|less|(?:降低|调低|调小|减小|减少|减慢|下调|放慢|调慢|降|减|低|小|慢)"
    ),
    "set": (
        r"set\b|change|adjust|make\b|put\b|bring\b|run\b|write\b|force\b|ramp\b|operate|move\b|dose\b|use\b|give\b|(?:设(?:置|定)?(?:为|成"
        r"|到|在|回)|设定?(?=\s*-?\d)|改(?:成|为|到|至)|调(?:到|成|为|至|整(?:到|为)?)|(?:调[高低大小快慢]|升高?|降低?|提[高升]?|加[大快]?"
        r"|减[小少慢]?|增[加大]?|开|跑)(?:到|至|为|成)|写入?|定为|定在|换成|变成|变为|调)"
    ),
}
"""Kind -> verbs; tested in `_ORDER`."""

_ORDER: tuple[WishKind, ...] = ("ack", "undo", "reset", "mode", "off", "on", "more", "less", "set")
_FIND = {kind: re.compile(pattern) for kind, pattern in _VERB.items()}
_FACTORS = ((re.compile(r"\bhalf\b|\bhalve\b|减半|一半"), Decimal("0.5")), (re.compile(r"\bdouble\b|\btwice\b|加倍|翻倍|一倍"), Decimal(2)))
_TO = re.compile(r"(?:\bto|\bat|=|到|至|为|成|在|:)\s*$")
_BY = re.compile(r"\bby\s*$")
_ADJUSTS = re.compile(r"set|change|adjust|调|改|设|换")
_TAG = re.compile(r"[a-z]\w*\.[a-z]\w*")
_DECLARES = re.compile(
    r"\b(?:is|was|are|were|says?|said|shows?|reads?|went|has|had|did|ran|reached|tripped|means)\b|是|现在|已|只有|达到|超过|高于|低于"
    r"|显示|说|了"
)
_MAX = re.compile(r"\b(?:max(?:imum)?|full speed|highest)\b|最大|最高|满速")
_MIN = re.compile(r"\b(?:min(?:imum)?|lowest)\b|最小|最低")


def _in_clause(clause: str) -> Wish | None:
    bare = clause.strip(" .!?;,，。！？；:：")
    asks = clause.rstrip().endswith(("?", "？"))
    chinese = re.search(r"[\u4e00-\u9fff]", bare) is not None
    told = _politeness_off(bare)
    polite = told != bare or (chinese and _REQUEST_ZH.search(bare) is not None)
    if _NEGATIVE.search(told) or _ASKING_EN.search(told):
        return None
    if (
        chinese
        and _ASKING_ZH.search(_REQUEST_ZH.sub("", bare) if polite else bare)
        and not (polite and re.search(r"[把将]|帮|请", bare) and not re.search(r"多少|什么|怎|如何|为何|哪|谁", bare))
    ):
        return None
    if asks and not polite:
        return None
    if chinese and not re.search("[把将请]", bare) and _REPORT_ZH.search(bare):
        return None
    return _command(told, chinese=chinese)


def _politeness_off(text: str) -> str:
    text = re.sub(r"[\s,]*(?:please|pls|thanks|thank you|now|谢谢|吧|哈|一下)$", "", text)
    while (shorter := _POLITE.sub("", text)) != text and shorter:
        text = shorter
    return _POLITE_ZH.sub("", text) or text


def _command(text: str, *, chinese: bool) -> Wish | None:
    amount = _wanted_amount(text)
    label = _state(text)
    verbs = _TAG.sub(lambda tag: "_" * len(tag[0]), text)
    for kind in _ORDER:
        verb = _FIND[kind].search(verbs)
        if verb is None or (not chinese and verb.start() > 0 and not _may_stand_inside(kind, text, verb, amount)):
            continue
        if kind == "off" and not chinese and text.startswith("set"):
            continue
        wish = _wish(kind, text, verb, amount, label, chinese=chinese)
        if wish is not None:
            return wish
    if _DECLARES.search(text) or not _names_a_thing(text) or len(text.split()) > 8:
        return None
    if amount is not None and (amount.unit or _TO.search(text[: amount.start])) and not text[amount.end :].strip():
        way: WishKind = "less" if re.search(r"\bdown\b", text) else "more" if re.search(r"\bup\b", text) else "set"
        return Wish(kind=way, subject=_subject(text, amount), amount=amount)
    if amount is None and not chinese and re.search(r"\b(?:off|on)$", text):
        return Wish(kind="off" if text.endswith("off") else "on", subject=text.rsplit(" ", 1)[0])
    return None


def _wish(kind: WishKind, text: str, verb: re.Match[str], amount: Amount | None, label: str, *, chinese: bool) -> Wish | None:
    subject = _subject(text, amount, verb)
    factor = next((value for pattern, value in _FACTORS if pattern.search(text)), None)
    if kind in ("more", "less", "set"):
        absolute = amount is not None and _TO.search(text[: amount.start]) is not None and not _BY.search(text[: amount.start])
        if kind != "set" and absolute:
            kind = "set"
            subject = _subject(text, amount, (_FIND["set"].search(text) if chinese else None) or verb)
        if kind == "set" and label and amount is None:
            return Wish(kind="mode", subject=_subject(text, None, verb), label=label)
        if kind == "set" and amount is not None and not absolute:
            kind = (
                "less"
                if re.search(r"\b(?:down|lower|less|slower)\b", text)
                else "more"
                if re.search(r"\b(?:up|higher|more|faster|by)\b", text)
                else "set"
            )
        if kind == "set" and amount is None and factor is None and verb[0] in ("run", "operate"):
            return Wish(kind="on", subject=subject)
        if kind == "set" and amount is None and factor is None and not _ADJUSTS.search(verb[0]):
            return None
        extreme: Literal["", "max", "min"] = "max" if _MAX.search(text) else "min" if _MIN.search(text) else ""
        if kind in ("more", "less") and amount is None and factor is None and not _vague(text, verb):
            return None
        return Wish(
            kind=kind, subject=subject, amount=amount, factor=factor if amount is None else None, extreme=extreme if amount is None else ""
        )
    if kind in ("on", "off") and amount is not None and _TO.search(text[: amount.start]):
        return Wish(kind="set", subject=subject, amount=amount)
    return Wish(kind=kind, subject=subject, label=label if kind == "mode" else "")


def _vague(text: str, verb: re.Match[str]) -> bool:
    """True for "turn it up a bit" and 调低一点; the bare adjectives 高, 大, 快 ask for nothing by themselves."""
    if len(verb[0]) > 1 and not re.fullmatch(r"[高大快低小慢升降加减]", verb[0]):
        return verb.start() == 0 or re.search(r"[\u4e00-\u9fff]", verb[0]) is not None
    return re.search(r"[再调升降加减].{0,3}[点些]|[点些]$|再[高大快低小慢]", text) is not None


def _may_stand_inside(kind: str, text: str, verb: re.Match[str], amount: Amount | None) -> bool:
    """English verbs lead; inside a sentence only "pump 1 needs to be stopped" and "2 Hz higher" count."""
    if kind == "undo":
        return True
    if kind in ("more", "less"):
        return amount is not None and verb[0] in ("higher", "faster", "lower", "slower", "less", "more")
    before = text[: verb.start()]
    return re.search(r"(?:should be|must be|to be|needs to|must|should|has to|need to)\s*$", before) is not None


def _wanted_amount(text: str) -> Amount | None:
    found = amounts_in(text)
    if not found:
        return None
    aimed = [amount for amount in found if _TO.search(text[: amount.start])]
    with_unit = [amount for amount in found if amount.unit]
    return (aimed or with_unit or list(found))[-1]


def _state(text: str) -> str:
    found = re.search(
        rf"(?:\b(?:to|in|into|on)\s+|[到成为至回换切转改设投打]\s*)(?:the )?(?:{_STATE})(?![a-z])"
        rf"|\b(?:to )?(?:{_STATE.replace('?P<', '?P<x')})(?: mode)?$",
        text,
    )
    if found is None:
        return ""
    name = next(name for name, value in found.groupdict().items() if value)
    return name.removeprefix("x") if name not in _STATES else name


def _subject(text: str, amount: Amount | None, verb: re.Match[str] | None = None) -> str:
    spans = [(found.start, found.end) for found in amounts_in(text) if amount is not None]
    if verb is not None and re.match(r"(?:turn|switch|power) .* (?:on|off|up|down)$", verb[0]):
        spans += [(verb.start(), verb.start() + len(verb[0].split()[0])), (verb.end() - len(verb[0].split()[-1]), verb.end())]
    elif verb is not None:
        spans.append(verb.span())
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + " " + text[end:]
    return re.sub(r"\s+", " ", _FILLERS.sub(" ", text)).strip()


_FILLERS = re.compile(
    r"\b(?:to|by|at|the|with|from|for|please|now|mode|back|change|last|immediately|without|confirmation|a|it|down|up|what|was|before"
    r"|previous|put|max|maximum|min|minimum|full|highest|lowest)\b"
    r"|[=,!?]|\.(?!\w)|->|(?:最近|上|最后|刚才|之前)的?(?:一?次)?的?|(?:一次)?的?(?:修改|更改|改动|操作|调整)|原来的?|原值|最大值?|最高值?|最小值?|最低值?|满速"
)
"""Words of a command that name no point."""


def _names_a_thing(text: str) -> bool:
    return (
        bool(instances_of(text))
        or re.search(r"[a-z]-?\d|泵|变频|温控|加热|加药|pump|drive|heater|dosing|setpoint|设定|频率|speed", text) is not None
    )
