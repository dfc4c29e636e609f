"""An explained value as JSON; the terminal prints the same."""

from gateway.api import schemas
from gateway.api.schemas import Json, text, time
from gateway.service.explain import Explanation


def explanation(one: Explanation) -> Json:
    """All of it; words in hexadecimal, decimals exact."""
    origin, forms = one.origin, one.forms
    return {
        "tag": one.tag,
        "title": text(one.title),
        "map": {
            "id": origin.map,
            "version": origin.version,
            "file": origin.file,
            "line": origin.line,
            "page": origin.page,
            "section": origin.section,
            "source": origin.source,
            "confidence": origin.confidence,
            "note": origin.note,
        },
        "address": {
            "notation": str(one.notation),
            "written": one.written_address,
            "table": str(one.table),
            "pdu_address": one.pdu,
            "reg": forms.reg,
            "ref5": forms.ref5,
            "ref6": forms.ref6,
            "base": one.base,
        },
        "wire": {
            "link": one.link,
            "unit_id": one.unit_id,
            "framing": one.framing,
            "read_function": one.read_function,
            "write_functions": list(one.write_functions),
            "request": one.request,
            "reply": one.reply,
        },
        "type": str(one.type),
        "order": str(one.order),
        "words": [f"0x{word:04X}" for word in one.words],
        "is_typed": one.is_typed,
        "steps": [{"name": step.name, "text": text(step.text), "result": step.result} for step in one.steps],
        "value": one.value,
        "label": text(one.label),
        "unit": one.unit,
        "decimals": one.decimals,
        "quality": str(one.quality),
        "reason": one.reason,
        "read_at": time(one.read_at),
        "age_s": round(one.age_s, 3) if one.age_s is not None else None,
        "orders": [
            {
                "orders": [str(order) for order in each.orders],
                "value": each.value,
                "reason": each.reason,
                "mark": each.mark,
                "why": text(each.why),
                "is_used": each.is_used,
            }
            for each in one.candidates
        ],
        "health": schemas.unit_health(one.health) if one.health is not None else None,
    }
