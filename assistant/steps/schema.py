"""What a step may be, as a JSON schema for servers that enforce one, and the tools as a model is told of them."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from pydantic import BaseModel

from assistant.steps.parse import FINAL

MAX_TAGS = 30
MAX_THOUGHT = 200
_TAG_ARGUMENTS = frozenset({"point", "points"})
_DROPPED = frozenset({"title", "default", "description", "examples"})

Schema = dict[str, Any]


class Described(Protocol):
    """What is shown of a tool."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def description(self) -> str:
        """What it does, in a sentence."""
        ...

    @property
    def args(self) -> type[BaseModel]:
        """Its arguments."""
        ...


def step_schema(tools: Sequence[Described], *, may_answer: bool, tags: Sequence[str] = ()) -> Schema:
    """One object per tool, and the final answer if there may be one; `tags` found in this turn bind the arguments that name a point."""
    found = sorted(tags)[:MAX_TAGS]
    steps = [_step(tool.name, _arguments(tool.args, found)) for tool in tools]
    if may_answer:
        text = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"], "additionalProperties": False}
        steps.append(_step(FINAL, text))
    return {"anyOf": steps}


def describe(tools: Sequence[Described]) -> str:
    """The tools, one a line: name, arguments with type and range, what it does. The same tools give the same text."""
    return "\n".join(f"- {tool.name}({', '.join(_described_arguments(tool.args))}): {tool.description}" for tool in tools)


def _step(name: str, args: Schema) -> Schema:
    properties: Schema = {"thought": {"type": "string", "maxLength": MAX_THOUGHT}, "action": {"const": name}, "args": args}
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def _arguments(args: type[BaseModel], tags: Sequence[str]) -> Schema:
    schema = args.model_json_schema()
    properties = {name: _plain(field, schema.get("$defs", {})) for name, field in schema.get("properties", {}).items()}
    if tags:
        properties = {name: _bound(field, tags) if name in _TAG_ARGUMENTS else field for name, field in properties.items()}
    needed = [name for name in properties if name in schema.get("required", ())]
    return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}


def _plain(field: Schema, defs: Mapping[str, Schema]) -> Schema:
    """The field with its references put in, for servers break on nested ones, and without what only people read."""
    if "$ref" in field:
        return _plain(defs[field["$ref"].rpartition("/")[2]], defs)
    plain = {key: value for key, value in field.items() if key not in _DROPPED}
    if "items" in plain:
        plain["items"] = _plain(plain["items"], defs)
    if "anyOf" in plain:
        plain["anyOf"] = [_plain(option, defs) for option in plain["anyOf"]]
    return plain


def _bound(field: Schema, tags: Sequence[str]) -> Schema:
    if field.get("type") == "array":
        return {**field, "items": {"enum": list(tags)}}
    if "anyOf" in field:
        return {**field, "anyOf": [_bound(option, tags) if option.get("type") != "null" else option for option in field["anyOf"]]}
    return {"enum": list(tags)} if field.get("type") == "string" else field


def _described_arguments(args: type[BaseModel]) -> list[str]:
    schema = args.model_json_schema()
    needed = schema.get("required", ())
    return [
        f"{name}{'' if name in needed else '?'}: {_type(_plain(field, schema.get('$defs', {})))}"
        + (f" ({field['description']})" if field.get("description") else "")
        for name, field in schema.get("properties", {}).items()
    ]


def _type(field: Schema) -> str:
    if "enum" in field:
        return "|".join(map(str, field["enum"]))
    if "const" in field:
        return str(field["const"])
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_type(option) for option in field["anyOf"] if option.get("type") != "null"))
    if field.get("type") == "array":
        return f"list of {_type(field.get('items', {}))}"
    return str(field.get("type", "any"))
