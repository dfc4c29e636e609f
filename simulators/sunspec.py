"""Where the bases of a map lie in a simulated device: a chain of SunSpec models from register 40000."""

from gateway.model.point import RegisterMap

_START = 40000
_MARK = (0x5375, 0x6E53)
_END = 0xFFFF


def lay_out(register_map: RegisterMap) -> tuple[dict[str, int], dict[int, int]]:
    """Address of each base's model header, and the registers of the chain: mark, ids, lengths, end.

    A model is as long as the map's points in it reach (SunSpec information model specification, 6.1).
    """
    if not register_map.bases:
        return {}, {}
    words = {_START: _MARK[0], _START + 1: _MARK[1]}
    bases: dict[str, int] = {}
    at = _START + 2
    for base, model in register_map.bases.items():
        length = max((point.pdu + point.words - 2 for point in register_map.points.values() if point.base == base), default=0)
        bases[base] = at
        words |= {at: model, at + 1: length}
        at += 2 + length
    return bases, words | {at: _END, at + 1: 0}
