"""Conditions, and what was read for them, in words for people."""

from decimal import Decimal

from gateway.model.condition import Condition, Reading, Source
from gateway.model.point import Text
from gateway.model.refusal import plain


def condition_words(condition: Condition, source: Source) -> Text:
    """`speed feedback (vfd1.speed_fb) >= 20 Hz`; a label in each language."""
    name = f"{source.device}.{source.point.name}{f'.{source.field}' if source.field else ''}"
    title = source.point.title
    wanted = _wanted(condition, source)
    en, zh = title.en or title.zh, title.zh or title.en
    return Text(
        f"{en} ({name}) {condition.op} {wanted.en}" if en else f"{name} {condition.op} {wanted.en}",
        f"{zh}（{name}）{condition.op} {wanted.zh}" if zh else f"{name} {condition.op} {wanted.zh}",
    )


def reading_words(reading: Reading) -> Text:
    """A reading with its label or unit: `7 (F07 motor over-temperature)`, `12 %`."""
    number = plain(reading.value)
    label = reading.enum.get(int(reading.value), Text()) if isinstance(reading.value, int | Decimal | float) else Text()
    if label.en or label.zh:
        return Text(f"{number} ({label.in_('en')})", f"{number}（{label.in_('zh')}）")
    return Text(*(2 * (f"{number} {reading.unit}" if reading.unit else number,)))


def _wanted(condition: Condition, source: Source) -> Text:
    field = next((one for one in source.point.fields if one.name == source.field), None)
    enum = field.enum if field is not None else source.point.enum
    if condition.label is not None:
        labels = (text for text in enum.values() if condition.label in (text.en, text.zh))
        found = next(labels, Text(condition.label))
        return Text(found.in_("en"), found.in_("zh"))
    unit = f" {source.point.unit}" if source.point.unit and field is None else ""
    return Text(*(2 * (f"{plain(condition.number)}{unit}",)))
