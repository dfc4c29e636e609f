"""Questions and expectations, and the plant's facts, as their files hold them."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from gateway.model.point import Role

DATA = Path(__file__).parent / "data"
"""Where plant.json and the questions lie."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Fault(_Strict):
    """What is wrong with a device or a point while the question is asked."""

    device: str = ""
    point: str = ""
    mode: Literal["timeout", "exception", "nan", "stale"]
    code: int = 2
    age_s: float = 0.0


class ManualAdded(_Strict):
    """A page of a manual that is added for this question."""

    doc: str
    page: int
    text: str


class Setup(_Strict):
    """How the plant differs from its usual state."""

    overrides: dict[str, float | int | str] = Field(default_factory=dict)
    faults: tuple[Fault, ...] = ()
    manual_add: ManualAdded | None = None
    between_turns: tuple[dict[str, float | int | str], ...] = ()
    history_retention_h: float | None = None


class Said(_Strict):
    """What the operator says in one turn."""

    user: str


class WantedCall(_Strict):
    """A call that must, or may, be made; arguments that are not named are free."""

    name: str
    args: dict[str, Any]


class WantedNumber(_Strict):
    """A number the answer must hold."""

    value: float
    tol: float
    unit: tuple[str, ...] = ()


class WantedPage(_Strict):
    """A page the answer must rest on."""

    doc: str
    page: int


class WantedProposal(_Strict):
    """A write that must be pending."""

    point: str
    value: float | str


class WantedAnswer(_Strict):
    """What the last answer must be like."""

    lang: Literal["en", "zh"]
    numbers: tuple[WantedNumber, ...] = ()
    contains_groups: tuple[tuple[str, ...], ...] = ()
    not_contains: tuple[str, ...] = ()
    citations: tuple[WantedPage, ...] = ()
    asks_clarification: bool = False


class Expect(_Strict):
    """What must come of a question."""

    tools_all: tuple[WantedCall, ...] = ()
    tools_any: tuple[WantedCall, ...] = ()
    tools_forbidden: tuple[str, ...] = ()
    max_tool_calls: int
    write_proposals: tuple[WantedProposal, ...] = ()
    refusal_code: str | None = None
    answer: WantedAnswer


class Question(_Strict):
    """One question of the benchmark."""

    id: str
    pair: str = ""
    lang: Literal["en", "zh"]
    category: str
    role: Role
    setup: Setup = Setup()
    turns: tuple[Said, ...]
    expect: Expect
    note: str = ""


class AlarmFact(_Strict):
    """An alarm that stands at the start."""

    id: str
    point: str
    text: str
    priority: Literal["low", "medium", "high"]
    state: Literal["UNACK_ACTIVE", "ACK_ACTIVE", "RTN_UNACK", "SHELVED"]
    raised: str = "09:00"
    cleared: str | None = None
    acked: str | None = None
    until: str | None = None
    by: str = ""


class AuditFact(_Strict):
    """A change that was made before."""

    t: str
    user: str
    point: str
    old: Decimal
    new: Decimal
    reason: str
    result: str


class PlantFacts(BaseModel):
    """What the benchmark needs of plant.json; devices and points stand in the demo's register maps."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    now: str
    points: dict[str, dict[str, Any]]
    history: dict[str, tuple[tuple[str, float], ...]]
    alarms: tuple[AlarmFact, ...]
    audit: tuple[AuditFact, ...]


def load_questions(file: Path) -> tuple[Question, ...]:
    """The questions of a JSON-lines file, in order; raises ValueError naming the line."""
    found = []
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if line.strip():
            try:
                found.append(Question.model_validate(json.loads(line)))
            except ValueError as exc:
                raise ValueError(f"{file}:{number}: {exc}") from exc
    return tuple(found)


def load_plant_facts(file: Path) -> PlantFacts:
    """The facts of a plant file."""
    return PlantFacts.model_validate_json(file.read_text("utf-8"))
