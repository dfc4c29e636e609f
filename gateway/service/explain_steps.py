"""From words to the value shown, step by step, with what each step made of it.

The steps call the codec that runs, part by part; the last of them is what polling shows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from gateway.model.codec import TYPES, Raw, Shape, bits_of, shape_of, to_raw
from gateway.model.decode import decode_point
from gateway.model.describe import label_text
from gateway.model.order import to_bits
from gateway.model.point import DataType, Order, Point, Text
from gateway.model.sample import Scalar
from gateway.model.scaling import Linear, TwoPoint, scaling_of

_ONE = Decimal(1)
_ORDER_WORDS = {
    Order.ABCD: Text("nothing is swapped", "不交换"),
    Order.CDAB: Text("registers reversed", "寄存器反序"),
    Order.BADC: Text("the two bytes of every register swapped", "每个寄存器内两字节互换"),
    Order.DCBA: Text("registers reversed and their bytes swapped", "寄存器反序且字节互换"),
    Order.EFGHABCD: Text("halves of two registers exchanged", "前后两个寄存器对调"),
    Order.CDABGHEF: Text("registers exchanged in pairs", "寄存器两两对调"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodeStep:
    """One step: its stable name, what is done in words, and what comes out as text."""

    name: str
    text: Text
    result: str


def decode_steps(point: Point, words: Sequence[int], source: Scalar | None = None) -> tuple[DecodeStep, ...]:
    """The steps from `words` to the value; `source` is the value of the point that holds the scale."""
    if point.table.is_bits:
        done = DecodeStep(name="bit", text=Text("one bit: 1 is true", "单个位：1 为真"), result=_said(bool(words[0])))
        return (done, *_label(point, bool(words[0])))
    return tuple(_register_steps(point, words, source))


def _register_steps(point: Point, words: Sequence[int], source: Scalar | None) -> Iterator[DecodeStep]:
    shape = shape_of(point)
    digits = point.words * 4
    text = _ORDER_WORDS[point.order]
    swaps = Text(f"order {point.order}: {text.en}", f"顺序 {point.order}：{text.zh}")
    yield DecodeStep(name="order", text=swaps, result=f"0x{to_bits(words, shape.order, is_text=shape.is_text):0{digits}X}")
    bits = bits_of(words, shape)
    if shape.is_partial:
        yield DecodeStep(name="bits", text=_bits_words(shape), result=f"0x{bits:X}")
    if point.invalid:
        yield _sentinel(point, bits, shape)
    raw, reason = to_raw(words, shape, point.invalid)
    yield DecodeStep(name="type", text=_type_words(point, shape), result=_said(raw) if raw is not None else str(reason))
    if raw is None:
        return
    value, reason = decode_point(point, words, source)
    if point.format is not None:
        yield DecodeStep(name="format", text=Text(f"read as {point.format}", f"按 {point.format} 解读"), result=_said(value))
    elif point.bit is None and point.type not in (DataType.BOOL, DataType.STRING, DataType.BYTES):
        yield from _scaled(point, raw, source, value, reason)
    if point.valid is not None and value is not None:
        inside = Text("inside the valid limits", "在有效范围内") if reason is None else Text("outside the valid limits", "超出有效范围")
        limits = f"{_said(point.valid.min)} .. {_said(point.valid.max)}"
        yield DecodeStep(name="valid", text=Text(f"{inside.en} {limits}", f"{inside.zh} {limits}"), result=reason or "GOOD")
    yield from _label(point, value)


def _bits_words(shape: Shape) -> Text:
    if shape.width == 1:
        return Text(f"bit {shape.low}, counted from the least significant (0)", f"第 {shape.low} 位（最低位为 0）")
    high = shape.low + shape.width - 1
    return Text(f"bits {high} to {shape.low}, shifted down", f"取第 {high} 至 {shape.low} 位并右移")


def _sentinel(point: Point, bits: int, shape: Shape) -> DecodeStep:
    digits = (shape.width + 3) // 4
    patterns = ", ".join(f"0x{pattern:0{digits}X}" for pattern in point.invalid)
    text = Text(f"patterns that mean no value: {patterns}", f"表示无效的码：{patterns}")
    return DecodeStep(name="sentinel", text=text, result=point.invalid.get(bits, "GOOD"))


def _type_words(point: Point, shape: Shape) -> Text:
    row = TYPES[point.type]
    if row.is_float:
        sign = Text("IEEE 754", "IEEE 754")
    elif shape.signed:
        sign = Text("signed, two's complement", "有符号，补码")
    elif shape.is_text or point.type is DataType.BOOL:
        sign = Text()
    else:
        sign = Text("unsigned", "无符号")
    return Text(f"read as {point.type}{f', {sign.en}' if sign.en else ''}", f"按 {point.type} 读取{f'，{sign.zh}' if sign.zh else ''}")


def _scaled(point: Point, raw: Raw, source: Scalar | None, value: Scalar | None, reason: str | None) -> Iterator[DecodeStep]:
    scaling = scaling_of(point, source)
    held = Text(f", held by {point.held_by} = {_said(source)}", f"，由 {point.held_by} = {_said(source)} 给出") if point.held_by else Text()
    match scaling:
        case None:
            yield DecodeStep(name="scale", text=Text(f"no scale{held.en}", f"无比例{held.zh}"), result=str(reason))
        case Linear(scale=scale, offset=offset):
            shifted = bool(offset)
            if scale != _ONE:
                product = _scaled_only(raw, scale) if shifted else value
                text = Text(f"x {_said(scale)}{held.en}", f"× {_said(scale)}{held.zh}")
                yield DecodeStep(name="scale", text=text, result=_said(product))
            if shifted:
                sign = Text(f"{'-' if offset < 0 else '+'} {_said(abs(offset))}", f"{'－' if offset < 0 else '＋'} {_said(abs(offset))}")
                yield DecodeStep(name="offset", text=sign, result=_said(value))
        case TwoPoint(range=line):
            raw_range, range_ = f"{_said(line.raw_low)}..{_said(line.raw_high)}", f"{_said(line.low)}..{_said(line.high)}"
            text = Text(f"raw {raw_range} means {range_}{held.en}", f"原始值 {raw_range} 对应 {range_}{held.zh}")
            yield DecodeStep(name="range", text=text, result=_said(value))


def _scaled_only(raw: Raw, scale: Decimal) -> Scalar:
    exact = Linear(scale, Decimal(0)).apply(Decimal(raw))
    return float(exact) if isinstance(raw, float) else exact


def _label(point: Point, value: Scalar | None) -> Iterator[DecodeStep]:
    words = label_text(point, value)
    if words.en or words.zh:
        yield DecodeStep(name="label", text=Text("what the code means", "代码含义"), result=" / ".join(dict.fromkeys((words.en, words.zh))))


def _said(value: Scalar | None) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "1" if value else "0"
        case Decimal():
            return format(value, "f")
        case _:
            return str(value)
