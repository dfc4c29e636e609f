"""Wanted writes become pending proposals, or are refused with every code and words in both languages."""

import asyncio
import dataclasses
from collections.abc import AsyncIterator
from decimal import Decimal
from pathlib import Path

import pytest

from gateway.clock import ManualClock
from gateway.errors import LinkTimeoutError, UnknownTagError, WriteRefusedError
from gateway.model.address import Table
from gateway.model.point import Role, Text
from gateway.model.sample import Scalar
from gateway.service import propose
from gateway.service.base import Via, WantedWrite
from gateway.service.rules import looks_raw
from tests.write_rig import Rig, actor, running


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with running(tmp_path) as made:
        yield made


def clock_of(rig: Rig) -> ManualClock:
    assert isinstance(rig.clock, ManualClock)
    return rig.clock


async def refused(
    rig: Rig, tag: str, value: Scalar, user: str = "olga", role: Role = Role.OPERATOR, via: Via = "page"
) -> WriteRefusedError:
    with pytest.raises(WriteRefusedError) as caught:
        await rig.propose(tag, value, user, role, via=via)
    assert caught.value.message
    assert caught.value.message_zh
    return caught.value


async def test_card_shows_what_the_record_holds(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", Decimal("43.5"), via="chat")
    (write,) = made.writes
    assert (write.tag, write.old, write.new, write.unit, write.words) == ("pump.speed_sp", 45, Decimal("43.50"), "Hz", (4350,))
    assert (made.state, made.proposer, made.via, made.reason, made.expires_s) == ("PENDING", "olga", "chat", "because", 120)
    assert (made.confirm, made.approvals_needed, made.role) == ("user", 1, Role.OPERATOR)
    assert await rig.proposer.get(made.id) == made
    assert await rig.proposer.open() == [made]
    assert rig.changes == [made]
    assert rig.line.writes == []
    (record,) = await rig.audit.entries(["proposed"])
    assert record.body["writes"] == [
        {
            "tag": "pump.speed_sp",
            "device": "pump",
            "map_version": "1",
            "old": Decimal("45.00"),
            "new": Decimal("43.50"),
            "unit": "Hz",
            "words": [4350],
        }
    ]


async def test_labels_and_confirm_levels(rig: Rig) -> None:
    made = await rig.propose("pump.run_cmd", "run")
    (write,) = made.writes
    assert (write.old_label, write.new, write.new_label, made.confirm, made.expires_s) == ("stop", 1, "run", "two_step", 60)


@pytest.mark.parametrize(("via", "confirm"), [("page", "none"), ("cli", "none"), ("api", "none"), ("chat", "user"), ("mcp", "user")])
async def test_a_model_never_writes_alone(rig: Rig, via: Via, confirm: str) -> None:
    assert (await rig.propose("pump.trim", 24, via=via)).confirm == confirm


CASES: dict[str, tuple[str, Scalar, list[str]]] = {
    "T20-above": ("pump.speed_sp", 55, ["LIMIT_MAX", "MAX_STEP"]),
    "T20-below": ("pump.speed_sp", 19, ["LIMIT_MIN", "MAX_STEP"]),
    "T20-nan": ("pump.speed_sp", float("nan"), ["UNREPRESENTABLE"]),
    "T20-inf": ("pump.speed_sp", float("inf"), ["UNREPRESENTABLE"]),
    "T20-text": ("pump.speed_sp", "45", ["UNREPRESENTABLE"]),
    "T20-true": ("pump.speed_sp", True, ["UNREPRESENTABLE"]),
    "T20-overflow": ("pump.speed_sp", 656, ["UNREPRESENTABLE", "LIMIT_MAX"]),
    "T21-step": ("pump.speed_sp", 30, ["MAX_STEP"]),
    "T23-role": ("pump.accel", 20, ["ROLE"]),
    "T32-read-only": ("tank.level", 80, ["READ_ONLY"]),
    "T32-register": ("40001", 1, ["NO_RAW"]),
    "S23-raw": ("unit 3 register 8193", 1, ["NO_RAW"]),
    "never": ("pump.baud", 1, ["NOT_ALLOWED"]),
    "enum": ("pump.run_cmd", "fly", ["ENUM"]),
    "W04": ("pump.trim", Decimal("25.05"), ["UNREPRESENTABLE"]),
    "W07-sentinel": ("pump.sensor", -32768, ["UNREPRESENTABLE", "STALE"]),
    "W21-fraction": ("pump.dose", Decimal("12.349"), ["UNREPRESENTABLE"]),
}


@pytest.mark.parametrize(("tag", "value", "expected"), CASES.values(), ids=CASES)
async def test_refusals(rig: Rig, tag: str, value: Scalar, expected: list[str]) -> None:
    assert list((await refused(rig, tag, value)).codes) == expected
    assert await rig.proposer.open() == []
    (record,) = await rig.audit.entries()
    assert (record.kind, record.body["codes"], record.body["user"]) == ("refused", expected, "olga")


async def test_w21_scale_is_read_before_the_words_are_made(rig: Rig) -> None:
    (write,) = (await rig.propose("pump.dose", Decimal("12.35"))).writes
    assert write.words == (1235,)
    rig.line.put(1, Table.HOLDING, 10, [0xFFFF])
    (write,) = (await rig.propose("pump.dose", Decimal("12.3"))).writes
    assert write.words == (123,)


async def test_scale_that_cannot_be_read_is_offline(rig: Rig) -> None:
    rig.line.fault = lambda request: LinkTimeoutError("mute") if request.unit_id == 1 else None
    assert (await refused(rig, "pump.dose", 12)).refusal == "OFFLINE"


async def test_t23_viewer_costs_the_bus_nothing(rig: Rig) -> None:
    assert (await refused(rig, "pump.speed_sp", 43, "vera", Role.VIEWER)).codes == ("ROLE",)
    assert (await refused(rig, "40001", 43, "vera", Role.VIEWER)).codes == ("ROLE", "NO_RAW")
    assert (await refused(rig, "pump.dose", 43, "vera", Role.VIEWER)).codes == ("ROLE",)
    assert rig.plant.reads == []


async def test_unknown_tag_is_no_refusal(rig: Rig) -> None:
    with pytest.raises(UnknownTagError):
        await rig.propose("pump.sped", 43)
    with pytest.raises(UnknownTagError):
        await rig.proposer.get("P-0")


async def test_offline_and_stale(rig: Rig) -> None:
    assert (await refused(rig, "pump.sensor", 5)).codes == ("STALE",)
    rig.line.fault = lambda _: LinkTimeoutError("mute")
    assert (await refused(rig, "pump.speed_sp", 43)).codes == ("OFFLINE",)


async def test_write_only_point_needs_no_old_value(rig: Rig) -> None:
    (write,) = (await rig.propose("pump.trip", 1)).writes
    assert (write.old, write.old_label, write.words) == (None, None, (1,))


@pytest.mark.parametrize(
    ("address", "word", "where"),
    [(2, 7, "fault_code == 0"), (3, 0, "status.local == 'remote'")],
    ids=["T22-point", "T22-field"],
)
async def test_t22_interlock_of_the_same_device(rig: Rig, address: int, word: int, where: str) -> None:
    rig.line.put(1, Table.HOLDING, address, [word])
    error = await refused(rig, "pump.run_cmd", 1)
    assert error.codes == ("INTERLOCK",)
    assert where in error.message
    assert where in error.message_zh
    rig.line.put(1, Table.HOLDING, 1, [1])
    assert (await rig.propose("pump.run_cmd", "stop")).state == "PENDING"


async def test_t22_interlock_on_another_link(rig: Rig) -> None:
    rig.lan.put(1, Table.HOLDING, 0, [149])
    error = await refused(rig, "pump.run_cmd", "run")
    assert error.codes == ("INTERLOCK",)
    assert "it is 14.9 %" in error.message
    rig.lan.fault = lambda _: LinkTimeoutError("mute")
    assert "cannot be proved" in (await refused(rig, "pump.run_cmd", "run")).message


async def test_interlock_shows_the_label(rig: Rig) -> None:
    rig.line.put(1, Table.HOLDING, 2, [7])
    error = await refused(rig, "pump.run_cmd", "run")
    assert "7 (F07 motor over-temperature)" in error.message
    assert "7（F07 电机过热）" in error.message_zh


async def test_t09_200_proposals_end_in_rate(rig: Rig) -> None:
    codes = []
    for number in range(200):
        try:
            await rig.propose("pump.trim", number)
        except WriteRefusedError as exc:
            codes.append(exc.refusal)
    assert (len(await rig.proposer.open()), codes) == (3, ["RATE"] * 197)
    assert (await rig.kinds()).count("refused") == 27
    await clock_of(rig).advance(121)
    assert (await rig.propose("pump.trim", 26)).state == "PENDING"


async def test_t09_identical_ones_are_merged(rig: Rig) -> None:
    first = await rig.propose("pump.speed_sp", 43)
    assert (await rig.propose("pump.speed_sp", Decimal("43.00"))).id == first.id
    assert (await rig.propose("pump.speed_sp", 43, "otto")).id != first.id
    rig.line.put(1, Table.HOLDING, 0, [4400])
    assert (await rig.propose("pump.speed_sp", 43)).id != first.id


async def test_t09_at_most_three_even_at_once(rig: Rig) -> None:
    made = await asyncio.gather(*(rig.propose("pump.trim", n) for n in range(8)), return_exceptions=True)
    assert sum(not isinstance(one, BaseException) for one in made) == 3
    assert {one.refusal for one in made if isinstance(one, WriteRefusedError)} == {"RATE"}


async def test_s24_idempotency_key(rig: Rig) -> None:
    made = await asyncio.gather(*(rig.propose("pump.speed_sp", 43, key="k1") for _ in range(3)))
    again = await rig.propose("pump.speed_sp", 43, key="k1")
    assert len({one.id for one in (*made, again)}) == 1
    assert (await rig.kinds()).count("proposed") == 1
    with pytest.raises(WriteRefusedError) as caught:
        await rig.propose("pump.speed_sp", 44, key="k1")
    assert caught.value.codes == ("NOT_ALLOWED",)


async def test_s24_key_still_stands_for_an_executed_proposal(rig: Rig) -> None:
    made = await rig.propose("pump.speed_sp", 43, key="k1")
    await rig.confirm(made)
    again = await rig.propose("pump.speed_sp", 43, key="k1")
    assert (again.id, again.state) == (made.id, "EXECUTED")


async def test_t35_several_writes_pass_together_or_not_at_all(rig: Rig) -> None:
    wanted = [WantedWrite(tag="pump.speed_sp", value=43), WantedWrite(tag="pump.accel", value=12), WantedWrite(tag="panel.lamp", value=1)]
    with pytest.raises(WriteRefusedError) as caught:
        await rig.proposer.propose(wanted, "", actor("enid", Role.ENGINEER))
    assert caught.value.codes == ("STEP",)
    assert await rig.proposer.open() == []
    good = [wanted[0], WantedWrite(tag="pump.accel", value=20), wanted[2]]
    made = await rig.proposer.propose(good, "", actor("enid", Role.ENGINEER))
    assert [write.tag for write in made.writes] == ["pump.speed_sp", "pump.accel", "panel.lamp"]
    assert made.role is Role.ENGINEER


@pytest.mark.parametrize("wanted", [[], [WantedWrite(tag="panel.lamp", value=1)] * 2], ids=["none", "twice"])
async def test_each_point_is_named_once(rig: Rig, wanted: list[WantedWrite]) -> None:
    with pytest.raises(WriteRefusedError) as caught:
        await rig.proposer.propose(wanted, "", actor())
    assert caught.value.codes == ("NOT_ALLOWED",)


async def test_strictest_rule_counts_for_all(rig: Rig) -> None:
    wanted = [
        WantedWrite(tag="pump.trim", value=24),
        WantedWrite(tag="pump.reset", value="reset"),
        WantedWrite(tag="pump.run_cmd", value=1),
    ]
    made = await rig.proposer.propose(wanted, "", actor("enid", Role.ENGINEER))
    assert (made.confirm, made.approvals_needed, made.role, made.expires_s) == ("two_step", 2, Role.ENGINEER, 60)


async def test_notes_tell_what_to_know(rig: Rig) -> None:
    (eeprom,) = (await rig.propose("pump.accel", 20, "enid", Role.ENGINEER)).notes
    (pulse,) = (await rig.propose("pump.reset", 1, "enid", Role.ENGINEER)).notes
    assert "EEPROM" in eeprom.en
    assert "EEPROM" in eeprom.zh
    assert "cannot be undone" in pulse.en


async def test_t05_password_in_a_reason_is_not_kept(rig: Rig) -> None:
    wanted = [WantedWrite(tag="pump.speed_sp", value=43)]
    made = await rig.proposer.propose(wanted, "I am admin, password 123456", actor())
    assert "123456" not in str(dataclasses.asdict(await rig.proposer.get(made.id)))
    with pytest.raises(WriteRefusedError):
        await rig.proposer.propose([WantedWrite(tag="pump.accel", value=10)], "密码123456", actor())
    assert "123456" not in str([record.body for record in await rig.audit.entries()])


async def test_t94_acknowledgement_is_a_proposal_too(rig: Rig) -> None:
    with pytest.raises(WriteRefusedError) as caught:
        await rig.proposer.propose_ack("AL-1", actor("vera", Role.VIEWER))
    assert caught.value.codes == ("ROLE",)
    with pytest.raises(WriteRefusedError) as caught:
        await rig.proposer.propose_ack("AL-2", actor())
    assert caught.value.codes == ("NOT_ALLOWED",)
    made = await rig.proposer.propose_ack("AL-1", actor(via="chat"))
    assert (made.kind, made.alarm, made.confirm, made.writes, made.notes) == ("ack", "AL-1", "user", (), (Text("high", "高"),))
    assert rig.acked == []
    assert (await rig.proposer.propose_ack("AL-1", actor())).id == made.id


async def test_t82_without_an_audit_nothing_is_proposed(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.store.write(
        lambda connection: connection.exec_driver_sql(
            "create trigger full before insert on audit begin select raise(abort, 'disk is full'); end"
        )
    )
    assert (await refused(rig, "pump.speed_sp", 43)).codes == ("AUDIT_DOWN",)
    assert (await refused(rig, "pump.speed_sp", 55)).codes == ("LIMIT_MAX", "MAX_STEP", "AUDIT_DOWN")
    assert await rig.proposer.open() == []


def test_proposing_cannot_execute() -> None:
    """Nothing that `propose` or what it imports holds leads to the gate or to confirmation."""
    names = {name for name in vars(propose) if "confirm" in name.lower() or "gate" in name.lower()}
    assert names == set()


@pytest.mark.parametrize(
    "text", ["40001", "5", "HR 40010", "0x2001", "vfd1.0x2001", "holding:5", "unit 3", "coil 7", "寄存器8193", "从站 3"]
)
def test_raw_addresses_are_seen(text: str) -> None:
    assert looks_raw(text)


@pytest.mark.parametrize("text", ["pump.speed_sp", "pump 1", "P-101", "DEV-1234.x", "em1.voltage_l1", "速度", "lt1.level_m"])
def test_names_are_not_raw(text: str) -> None:
    assert not looks_raw(text)
