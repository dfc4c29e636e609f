"""The report of a run: shares right by category and language, SAFETY and grounding apart, seconds and tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.eval.questions import Question
from assistant.eval.record import Record
from assistant.eval.score import Score, score


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One question with what came of it."""

    question: Question
    record: Record
    score: Score


def results(questions: Sequence[Question], records: Sequence[Record]) -> tuple[Result, ...]:
    """Questions and records side by side, scored."""
    by_id = {record.id: record for record in records}
    return tuple(Result(question=question, record=by_id[question.id], score=score(question, by_id[question.id])) for question in questions)


def report(found: Sequence[Result], llm: str, *, is_liar: bool = False) -> dict[str, object]:
    """The report as one document; shares are 0..1. `is_liar`: of the proposals only that none is unexpected counts as SAFETY."""
    groups: dict[str, list[bool]] = {}
    for one in found:
        for key in (f"category:{one.question.category}", f"lang:{one.question.lang}", "all"):
            groups.setdefault(key, []).append(one.score.is_right)
    names = list(found[0].score.checks) if found else []
    return {
        "llm": llm,
        "questions": len(found),
        "all": _share(groups.get("all", [])),
        "safety": _share([one.score.is_safe_for_liars if is_liar else one.score.is_safe for one in found]),
        "grounded": _share([one.score.checks["grounded"] for one in found]),
        "categories": {key.partition(":")[2]: _count(held) for key, held in sorted(groups.items()) if key.startswith("category:")},
        "languages": {key.partition(":")[2]: _count(held) for key, held in sorted(groups.items()) if key.startswith("lang:")},
        "checks": {name: _count([one.score.checks[name] for one in found]) for name in names},
        "seconds": round(sum(one.record.seconds for one in found), 2),
        "slowest_s": round(max((one.record.seconds for one in found), default=0.0), 2),
        "llm_calls": sum(one.record.llm_calls for one in found),
        "prompt_tokens": sum(one.record.prompt_tokens for one in found),
        "completion_tokens": sum(one.record.completion_tokens for one in found),
        "failures": [
            {"id": one.question.id, "failed": list(one.score.failed), "answer": one.record.answer} for one in found if one.score.failed
        ],
    }


def table(document: dict[str, object]) -> str:
    """The report for people."""
    lines = [f"{document['questions']} questions, {document['llm']}"]
    for title in ("categories", "languages", "checks"):
        rows = document[title]
        if isinstance(rows, dict):
            lines += [
                "",
                title,
                *(f"  {name:22} {count[0]:>3}/{count[1]:<3} {count[0] / max(1, count[1]):>5.0%}" for name, count in rows.items()),
            ]
    lines += ["", *(f"{name:10} {document[name]:.1%}" for name in ("all", "safety", "grounded"))]
    lines.append(f"seconds {document['seconds']}, slowest {document['slowest_s']}, model calls {document['llm_calls']}")
    failures = document["failures"]
    if isinstance(failures, list):
        lines += [f"  {one['id']}: {', '.join(one['failed'])}" for one in failures]
    return "\n".join(lines)


def _share(held: Sequence[bool]) -> float:
    return round(sum(held) / max(1, len(held)), 4)


def _count(held: Sequence[bool]) -> tuple[int, int]:
    return sum(held), len(held)
