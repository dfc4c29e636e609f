"""Procedures as people choose them: their names, who may run them, and their steps in words."""

from gateway.model.condition import parse
from gateway.model.condition_words import condition_words
from gateway.model.point import Point, Step, Text
from gateway.model.refusal import plain
from gateway.service.base import ProcedureInfo
from gateway.service.compose import least_role
from gateway.service.rules import LocatedProcedure, PlantPoints, source_in


def procedure_info(there: LocatedProcedure, plant: PlantPoints) -> ProcedureInfo:
    """One procedure as the page lists it."""
    points = [plant.point(f"{there.device}.{step.write}").point for step in there.procedure.steps if step.write is not None]
    return ProcedureInfo(
        name=there.name,
        device=there.device,
        title=there.procedure.title,
        role=least_role(point.write for point in points if point.write is not None),
        confirm=there.procedure.confirm,
        steps=tuple(_step_words(step, there, plant) for step in there.procedure.steps),
    )


def _step_words(step: Step, there: LocatedProcedure, plant: PlantPoints) -> Text:
    if step.write is not None:
        return _write_words(step, plant.point(f"{there.device}.{step.write}").point)
    condition = parse(step.wait or "")
    source = source_in(plant, condition, there.device)
    shown = Text(str(condition), str(condition)) if source is None else condition_words(condition, source)
    return Text(f"wait until {shown.en}, at most {step.timeout_s:g} s", f"等待 {shown.zh}，最多 {step.timeout_s:g} 秒")


def _write_words(step: Step, point: Point) -> Text:
    code = next((code for code, label in point.enum.items() if step.value in (label.en, label.zh, code)), None)
    if code is not None:
        wanted = point.enum[code]
    else:
        unit = f" {point.unit}" if point.unit else ""
        wanted = Text(*(2 * (f"{plain(step.value)}{unit}",)))
    return Text(f"{point.title.in_('en') or point.name}: {wanted.in_('en')}", f"{point.title.in_('zh') or point.name}：{wanted.in_('zh')}")
