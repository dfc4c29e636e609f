"""Every text of a file: signs that can't be seen, and words that read like orders to a language model."""

import re
import unicodedata
from collections.abc import Iterator

from gateway.maps.rules.base import Fault
from gateway.yamlfile import YamlPath, YamlValue

_HIDDEN = ("Cf", "Cc", "Co", "Cs", "Zl", "Zp")
_ORDERS = re.compile(
    r"(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|any|your|these)\b.{0,40}\b(?:instruction|rule|prompt|limit|order|message)"
    r"|system\s+prompt|developer\s+mode|maintenance\s+mode.{0,20}limits"
    r"|\byou\s+are\s+(?:now|an?\s+(?:ai|assistant|language))|\bas\s+an?\s+(?:ai|assistant|language\s+model)\b|\bfor\s+(?:the\s+)?(?:ai|assistant|llm)\b\s*:"
    r"|\b(?:call|invoke)\s+(?:the\s+)?(?:tool|function)"
    r"|\bpropose_(?:write|ack)\b|\b(?:do\s+not|don't|never)\s+(?:tell|mention|ask|inform)\b"
    r"|\bwithout\s+(?:asking|a?\s*confirm\w*|telling)|\b(?:bypass|skip)\b.{0,20}\b(?:confirm\w*|interlock|limit)"
    r"|^\s*(?:thought|action|observation|final\s+answer|system|assistant|user)\s*:|</?(?:system|assistant|user|tool)\b|<\|"
    r"|忽略.{0,12}(?:指令|指示|规则|提示|限制)|无视.{0,12}(?:指令|规则|限制)|你(?:现在)?是.{0,8}(?:助手|管理员|模型)|系统提示|开发者模式"
    r"|(?:不用|无需|不要|不必|跳过|绕过).{0,6}(?:确认|询问|告诉|提及|审批)|调用.{0,6}(?:工具|函数)|直接(?:写入|执行)",
    re.IGNORECASE | re.MULTILINE,
)


def texts(root: YamlValue, path: YamlPath = ()) -> Iterator[Fault]:
    """`hidden_character` and `instruction_like` anywhere in the file."""
    if isinstance(root, dict):
        for key, value in root.items():
            yield from texts(value, (*path, key))
    elif isinstance(root, list):
        for number, value in enumerate(root):
            yield from texts(value, (*path, number))
    elif isinstance(root, str):
        sign = (
            "" if root.isprintable() else next((sign for sign in root if unicodedata.category(sign) in _HIDDEN and sign not in "\n\t"), "")
        )
        if sign:
            message = f"the text holds U+{ord(sign):04X}, which can't be seen"
            yield Fault(path, "hidden_character", message, "type the text again without it")
        if _ORDERS.search(root if root.isascii() else unicodedata.normalize("NFKC", root)):
            message = "the text reads like an instruction to a language model"
            yield Fault(path, "instruction_like", message, "describe the point; what the assistant may do stands elsewhere")
