"""Answers that code writes, from records and observations, in the operator's language; and what is taken out of a model's words."""

import re
from collections.abc import Sequence

from assistant.transcript.redact import redact
from gateway.model.sample import Label, Scalar
from gateway.service.base import Proposal, ProposedWrite

MAX_RENDERED = 2500

_IMAGE = re.compile(r"!\[[^\]]*\]\((?:[^()]|\([^()]*\))*\)")
_LINK = re.compile(r"\[([^\]]*)\]\((?:[^()]|\([^()]*\))*\)")
_TAG = re.compile(r"</?[A-Za-z!][^<>]*>")
_SCHEME = re.compile(r"\b(?:javascript|data|vbscript|https?|ftp|file):\S*", re.IGNORECASE)


def proposal_answer(proposals: Sequence[Proposal], lang: str) -> str:
    """What waits for a person, from the records alone."""
    return "\n".join(_proposal(proposal, lang) for proposal in proposals)


def observations_answer(observations: Sequence[str], lang: str) -> str:
    """The observations themselves, where no checked words are to be had."""
    shown = list(dict.fromkeys(plain for text in observations if (plain := clean(text))))
    if not shown:
        return (
            "我没能得到可核实的答案，什么也没有更改。请换一种问法，或直接查看页面上的数值。"
            if lang == "zh"
            else "I could not find a checked answer, and nothing was changed. Please ask in other words, or look at the values on the page."
        )
    lead = "以下是本次查询到的内容（未作进一步说明，什么也没有更改）：" if lang == "zh" else "This is what was found (nothing was changed):"
    body = "\n".join(shown)
    if len(body) > MAX_RENDERED:
        body = f"{body[:MAX_RENDERED].rpartition(chr(10))[0] or body[:MAX_RENDERED]}\n…"
    return f"{lead}\n{body}"


def out_of_time(lang: str) -> str:
    """What is said when the turn ran out of time."""
    return (
        "这次查询超时了，什么也没有更改。请重试。"
        if lang == "zh"
        else "This took too long and was stopped; nothing was changed. Please try again."
    )


def clean(text: str) -> str:
    """A model's words as plain text: no pictures, tags, addresses that a page could follow, or secrets.

    >>> clean("ok ![x](http://evil/?q=1) <img src=x onerror=alert(1)> [docs](javascript:alert(1)) 3 < 4 [vx200-en p.47]")
    'ok docs 3 < 4 [vx200-en p.47]'
    """
    text = _SCHEME.sub("", _TAG.sub("", _LINK.sub(r"\1", _IMAGE.sub("", text))))
    return redact(re.sub(r"[ \t]{2,}", " ", text).strip())


def _proposal(proposal: Proposal, lang: str) -> str:
    if proposal.kind == "ack":
        what = f"确认报警 {proposal.alarm}" if lang == "zh" else f"acknowledge alarm {proposal.alarm}"
    else:
        what = ("；" if lang == "zh" else "; ").join(_write(write, lang) for write in proposal.writes)
    if lang == "zh":
        who = "需要两个不同的人分别确认（本人之外还要第二个人）" if proposal.approvals_needed > 1 else "等待您在卡片上确认"
        lines = [f"已准备好建议：{what}。{who}；确认之前不会写入任何内容。"]
    else:
        who = (
            "It needs the confirmation of two different people, so a second person must confirm it too"
            if proposal.approvals_needed > 1
            else "It is waiting for your confirmation on the card"
        )
        lines = [f"Proposed: {what}. {who}; nothing is written before that."]
    return "\n".join([*lines, *(note.in_(lang) for note in proposal.notes)])


def _write(write: ProposedWrite, lang: str) -> str:
    title = write.title.in_(lang)
    name = f"{title} ({write.tag})" if title else write.tag
    old, new = _shown(write.old, write.old_label, write.unit), _shown(write.new, write.new_label, write.unit)
    if write.old is None:
        return f"{name} 设为 {new}" if lang == "zh" else f"{name} to {new}"
    return f"{name} 从 {old} 改为 {new}" if lang == "zh" else f"{name} from {old} to {new}"


def _shown(value: Scalar | None, label: Label, unit: str) -> str:
    number = {True: "1", False: "0"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    if isinstance(label, str) and label != str(value):
        return f"{label} ({number})"
    return f"{number} {_human(unit)}".strip()


def _human(unit: str) -> str:
    return {"degC": "°C", "degF": "°F", "m3/h": "m³/h", "m3": "m³"}.get(unit, unit)
