"""From a validated point of a file to the point the gateway works with; what can't be turned is a finding."""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import NoReturn

from gateway.errors import Finding
from gateway.maps.schema_point import AlarmIn, Enum, FieldIn, FlagIn, PointIn, RangeIn, ValidIn, WriteIn
from gateway.maps.schema_types import InterlockIn, seconds
from gateway.maps.source import Entry, MapSource
from gateway.model.address import AddressError, Notation, PduAddress, Table, check_span, from_pdu, from_ref, from_reg
from gateway.model.codec import TYPES
from gateway.model.point import (
    Access,
    AlarmRule,
    DataType,
    Deadband,
    FieldOf,
    Flag,
    Interlock,
    Order,
    Point,
    Range,
    RangeFrom,
    Role,
    ScaleFrom,
    Text,
    TextFormat,
    Valid,
    WriteRule,
)
from gateway.yamlfile import YamlPath

_BITS = re.compile(r"([0-9]{1,2})\.\.([0-9]{1,2})")


class CannotBuildError(Exception):
    """A point that can't be made; carries its finding."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(finding.message)
        self.finding = finding


def build_point(source: MapSource, entry: Entry) -> Point:
    """The point of `entry`; raises CannotBuildError with the first fault that leaves no point."""
    model = entry.model
    made = _Builder(source, entry)
    notation, table, pdu, written = made.address()
    kind = made.type(table)
    words = made.words(kind, table, pdu)
    enum = made.enum(model.enum, "enum")
    return Point(
        name=entry.name,
        table=table,
        pdu=pdu,
        words=words,
        type=kind,
        notation=notation,
        written_address=written,
        order=Order(model.order),
        unit_id=model.unit_id,
        base=model.base,
        bit=model.bit,
        bits=made.bits(model.bits, "bits"),
        signed=model.signed,
        text=_text_format(model) if kind is DataType.STRING else None,
        scale=Decimal(1) if model.scale is None else model.scale,
        offset=Decimal(0) if model.offset is None else model.offset,
        range=_range(model.range, model.unit) if model.range else None,
        scale_from=_scale_from(model),
        range_from=_range_from(model),
        unit=model.unit,
        decimals=model.decimals,
        enum=enum,
        flags=_flags(model.flags),
        fields=tuple(made.field(name, field) for name, field in (model.fields or {}).items()),
        format=model.format,
        invalid=dict(model.invalid or {}),
        access=Access(model.access),
        write=made.write(model.write, enum, kind) if model.write else None,
        poll=model.poll,
        deadband=deadband_of(model.deadband),
        valid=valid_of(model.valid) if model.valid else None,
        alarm=alarm_of(model.alarm) if model.alarm else None,
        title=_title(entry),
        description=model.description.text() if model.description else Text(),
        aliases=tuple(model.aliases),
        group=model.group,
        page=model.page,
        section=model.section,
        source=model.source,
        confidence=model.confidence,
        note=model.note.text().in_("en") if model.note else "",
        sim=model.sim.model_dump(exclude_unset=True) if model.sim else {},
        line=source.yaml.line_of(entry.path),
    )


def write_rule(model: WriteIn, interlock: tuple[Interlock, ...]) -> WriteRule:
    """The rule of a `write:` block, with its interlocks resolved."""
    return WriteRule(
        function=model.function,
        min=model.min,
        max=model.max,
        step=model.step,
        max_step=model.max_step,
        cooldown_s=seconds(model.cooldown) if model.cooldown else 0.0,
        role=Role(model.role),
        confirm=model.confirm,
        approvals=model.approvals,
        interlock=interlock,
        readback=model.readback,
        settle_s=seconds(model.settle) if model.settle else 0.0,
        persist=model.persist,
        pulse=model.pulse,
        reply=model.reply != "none",
        note=model.note.text() if model.note else Text(),
    )


def interlock_of(model: InterlockIn, enum: Mapping[int, Text], kind: DataType) -> Interlock | None:
    """The interlock with its `when` as a raw value; None if no such value can be written."""
    conditions = tuple(model.all)
    if model.when is None:
        return Interlock(conditions=conditions)
    if isinstance(model.when, str):
        codes = [code for code, label in enum.items() if model.when in (label.en, label.zh)]
        return Interlock(conditions=conditions, when=codes[0]) if codes else None
    known = model.when in enum if enum else (kind is not DataType.BOOL or model.when in (0, 1))
    return Interlock(conditions=conditions, when=model.when) if known else None


def alarm_of(model: AlarmIn) -> AlarmRule:
    """The alarm levels of an `alarm:` block."""
    return AlarmRule(
        lolo=model.lolo,
        lo=model.lo,
        hi=model.hi,
        hihi=model.hihi,
        hysteresis=Decimal(0) if model.hysteresis is None else model.hysteresis,
        delay_s=seconds(model.delay) if model.delay else 0.0,
        priority=model.priority or "medium",
        text=model.text.text() if model.text else Text(),
    )


def valid_of(model: ValidIn) -> Valid:
    """The limits of a `valid:` block."""
    return Valid(min=model.min, max=model.max)


def deadband_of(given: Decimal | str | None) -> Deadband:
    """The smallest change worth storing, from a number or a share such as `1%`."""
    if given is None:
        return Deadband()
    if isinstance(given, str):
        return Deadband(amount=Decimal(given.removesuffix("%")) / 100, relative=True)
    return Deadband(amount=given)


class _Builder:
    """Turns the keys of one entry, stopping with a finding that stands at the key."""

    def __init__(self, source: MapSource, entry: Entry) -> None:
        self._source = source
        self._entry = entry
        self._model = entry.model

    def address(self) -> tuple[Notation, Table, PduAddress, str]:
        model, shift = self._model, self._entry.shift
        given = [key for key, value in (("pdu", model.pdu), ("reg", model.reg), ("ref", model.ref)) if value is not None]
        if len(given) != 1:
            have = f"has {' and '.join(given)}" if given else "has no address"
            self.stop((), "one_address", f"{self._entry.name} {have}", "give exactly one of pdu, reg and ref, as the manual writes it")
        table = Table(model.table) if model.table else None
        try:
            if model.pdu is not None:
                table, first = from_pdu(model.pdu, table)
                written = f"0x{first + shift:04X}" if isinstance(model.pdu, str) else str(first + shift)
            elif model.reg is not None:
                table, first = from_reg(model.reg, table)
                written = str(model.reg + shift)
            else:
                text = model.ref or ""
                table, first = from_ref(text, table)
                written = f"{int(text) + shift:0{len(text.strip())}}"
            check_span(first + shift, 1)
        except AddressError as exc:
            self.stop((given[0],), exc.code, exc.message, exc.fix)
        return Notation(given[0]), table, PduAddress(first + shift), written

    def type(self, table: Table) -> DataType:
        if self._model.type is not None:
            return DataType(self._model.type)
        if table.is_bits:
            return DataType.BOOL
        return self.stop((), "type_missing", f"{self._entry.name} has no type", "add `type:` here or in `defaults`")

    def words(self, kind: DataType, table: Table, pdu: int) -> int:
        given = self._model.words
        fixed = 1 if kind is DataType.BOOL else TYPES[kind].words
        if fixed is None and given is None:
            self.stop((), "words_missing", f"a {kind} needs its number of registers", "add `words:`")
        if fixed is not None and given not in (None, fixed) and not (kind is DataType.BOOL and not table.is_bits and given in (2, 4)):
            self.stop(("words",), "words_mismatch", f"{kind} has {fixed} registers, not {given}", "remove `words` or choose the right type")
        words = given or fixed or 1
        try:
            check_span(pdu, words)
        except AddressError as exc:
            self.stop(("type",) if given is None else ("words",), exc.code, exc.message, exc.fix)
        return words

    def bits(self, text: str | None, *keys: str) -> tuple[int, int] | None:
        if text is None:
            return None
        match = _BITS.fullmatch(text)
        if not match:
            self.stop(keys, "bad_bits", f"bits {text!r} is not a range", 'write the highest and lowest bit: "15..8"')
        high, low = sorted((int(match[1]), int(match[2])), reverse=True)
        return high, low

    def enum(self, given: Enum | str | None, *keys: str) -> Mapping[int, Text]:
        if given is None:
            return {}
        if isinstance(given, str):
            shared = self._source.head.enums if self._source.head else {}
            if given not in shared:
                names = ", ".join(shared) or "none are"
                self.stop(
                    keys, "unknown_enum", f"no enum {given!r}", f"define it under `enums:` ({names} defined), or write the codes here"
                )
            given = shared[given]
        return {code: label.text() for code, label in given.items()}

    def field(self, name: str, model: FieldIn) -> FieldOf:
        if (model.bits is None) == (model.mask is None):
            self.stop(("fields", name), "field_shape", f"field {name} needs either bits or mask", "give one of them")
        return FieldOf(
            name=name,
            bits=self.bits(model.bits, "fields", name, "bits"),
            mask=model.mask,
            enum=self.enum(model.enum, "fields", name, "enum"),
            flags=_flags(model.flags),
        )

    def write(self, model: WriteIn, enum: Mapping[int, Text], kind: DataType) -> WriteRule:
        interlocks = []
        for number, given in enumerate(model.interlock or []):
            interlock = interlock_of(given, enum, kind)
            if interlock is None:
                fix = f"write one of {', '.join(label.en for label in enum.values())}" if enum else "write 0 or 1"
                self.stop(("write", "interlock", number), "unknown_label", f"`when: {given.when}` can't be written", fix)
            interlocks.append(interlock)
        return write_rule(model, tuple(interlocks))

    def stop(self, keys: YamlPath, code: str, message: str, fix: str) -> "NoReturn":
        raise CannotBuildError(self._source.finding(self._source.at(self._entry, *keys), code, message, fix))


def _title(entry: Entry) -> Text:
    plain = entry.name.replace("_", " ").capitalize()
    if entry.model.name is None:
        return Text(plain)
    title = entry.model.name.text()
    if entry.model.repeat is None:
        return title
    suffix = entry.name.rsplit("_", 1)[1]
    return Text(f"{title.en} {suffix}" if title.en else "", f"{title.zh} {suffix}" if title.zh else "")


def _flags(given: Mapping[int, FlagIn] | None) -> Mapping[int, Flag]:
    return {bit: Flag(text=Text(flag.en, flag.zh), alarm=flag.alarm) for bit, flag in (given or {}).items()}


def _text_format(model: PointIn) -> TextFormat:
    return TextFormat(encoding=model.encoding or "ascii", chars=model.chars or "packed", pad=model.pad or "nul", length=model.length)


def _range(model: RangeIn, unit: str) -> Range:
    return Range(raw_low=model.raw[0], raw_high=model.raw[1], low=model.eng[0], high=model.eng[1], unit=unit)


def _scale_from(model: PointIn) -> ScaleFrom | None:
    if model.scale_from is None:
        return None
    rule = model.scale_from.as_
    if isinstance(rule, str):
        return ScaleFrom(point=model.scale_from.point, rule=rule)
    return ScaleFrom(point=model.scale_from.point, rule="table", table=rule)


def _range_from(model: PointIn) -> RangeFrom | None:
    if model.range_from is None:
        return None
    table = {code: _range(given, given.unit or model.unit) for code, given in model.range_from.as_.items()}
    return RangeFrom(point=model.range_from.point, table=table)
