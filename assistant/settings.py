"""The `assistant:` block of a configuration: where the models are and which folders hold manuals."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from assistant.llm.client import ServerOptions
from gateway.errors import ConfigError, Finding


def _address(text: str) -> str:
    """An address of a model server: plain http or https, a host that is not link-local, no user, query or fragment."""
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError("it must be http://HOST:PORT/v1 or https://")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("it must hold no user, password, query or fragment; a key goes into a file named by api_key_file")
    try:
        local = ip_address(parts.hostname).is_link_local
    except ValueError:
        local = False
    if local:
        raise ValueError("link-local addresses belong to the infrastructure, not to a model server")
    return text.rstrip("/")


def _plain_number(value: object) -> object:
    """Numbers of our YAML are exact decimals."""
    return float(value) if isinstance(value, Decimal) else value


class _Server(BaseModel):
    """A model server."""

    model_config = ConfigDict(extra="forbid", strict=True)

    api_base: Annotated[str, AfterValidator(_address)]
    model: str = Field(default="auto", min_length=1, max_length=200)
    context_window: int | None = Field(default=None, ge=1024, le=1_000_000)
    api_key_file: str | None = None
    timeout_s: Annotated[float, BeforeValidator(_plain_number), Field(gt=0, le=600)] = 60.0
    max_tokens: int = Field(default=500, ge=100, le=8000)


class _Block(BaseModel):
    """The block."""

    model_config = ConfigDict(extra="forbid", strict=True)

    llm: _Server | None = None
    embeddings: _Server | None = None
    manuals: list[str] = Field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantSettings:
    """The block with all paths absolute and keys read. `llm` None: the built-in planner; `embeddings` None: the built-in ones."""

    llm: ServerOptions | None = None
    embeddings: ServerOptions | None = None
    manuals: tuple[Path, ...] = ()


def read_settings(block: Mapping[str, object], file: Path) -> AssistantSettings:
    """The block of the configuration `file`; raises ConfigError with every finding."""
    try:
        read = _Block.model_validate(dict(block))
    except ValidationError as exc:
        raise ConfigError([_finding(fault["loc"], fault["msg"], file) for fault in exc.errors()]) from exc
    return AssistantSettings(
        llm=_options(read.llm, "llm", file),
        embeddings=_options(read.embeddings, "embeddings", file),
        manuals=tuple((file.parent / folder).resolve() for folder in read.manuals),
    )


def _options(server: _Server | None, name: str, file: Path) -> ServerOptions | None:
    if server is None:
        return None
    return ServerOptions(
        api_base=server.api_base,
        model=server.model,
        api_key=_key(file.parent / server.api_key_file, name, file) if server.api_key_file else "",
        context_tokens=server.context_window,
        first_token_s=server.timeout_s,
        max_tokens=server.max_tokens,
    )


def _key(path: Path, name: str, file: Path) -> str:
    try:
        key = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as exc:
        raise ConfigError([_finding((name, "api_key_file"), f"the key file cannot be read: {type(exc).__name__}", file)]) from exc
    if not key or any(sign.isspace() for sign in key):
        raise ConfigError([_finding((name, "api_key_file"), "the key file must hold one key and nothing else", file)])
    return key


def _finding(place: tuple[str | int, ...], message: str, file: Path) -> Finding:
    path = ".".join(["assistant", *map(str, place)])
    if "api_key" in place:
        return Finding(
            code="secret_in_clear",
            message="a key must not stand in the configuration",
            fix="put it into a file that only the gateway may read and write `api_key_file: PATH`",
            file=str(file),
            path=path,
        )
    fix = "known here are llm, embeddings and manuals; see the administrators' guide" if "Extra inputs" in message else ""
    return Finding(code="assistant", message=message, fix=fix, file=str(file), path=path)
