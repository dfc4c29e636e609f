"""Procedures, undo, lockouts and decisions over HTTP, on the simulated plant."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest

from tests.running_plant import RunningPlant, running_plant

API = "/api/v1"

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def propose(client: httpx.AsyncClient, tag: str, value: object) -> httpx.Response:
    return await client.post(f"{API}/proposals", json={"writes": [{"tag": tag, "value": value}], "reason": "test"})


async def decide(client: httpx.AsyncClient, card: Mapping[str, object], what: str = "confirm", **body: object) -> httpx.Response:
    sent = {"nonce": card["nonce"], **body} if what == "confirm" else body
    return await client.post(f"{API}/proposals/{card['id']}/{what}", json=sent)


async def test_procedure_is_listed_proposed_confirmed_and_told_step_by_step(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    listed = {one["name"]: one for one in (await client.get(f"{API}/procedures")).json()}
    assert set(listed) == {f"{drive}.{name}" for drive in ("vfd1", "vfd2") for name in ("start", "stop", "reset_fault")}
    start = listed["vfd1.start"]
    assert (start["device"], start["role"], start["confirm"], len(start["steps"])) == ("vfd1", "operator", "two_step", 3)
    assert start["title"]["zh"] == "以40赫兹启动水泵"
    card = (await client.post(f"{API}/proposals", json={"procedure": "vfd1.start", "reason": "test"})).json()
    assert [one.get("wait", one["tag"]) for one in card["steps"]] == ["vfd1.speed_sp", "vfd1.run_cmd", "speed_fb >= 20"]
    assert card["steps"][2]["wait_text"]["zh"] == "运行频率（vfd1.speed_fb）>= 20 Hz"
    assert (card["kind"], card["procedure"], card["state"], len(card["writes"])) == ("procedure", "vfd1.start", "PENDING", 2)
    before = len(plant.simulated.written)
    assert (await decide(client, card)).json()["code"] == "NOT_ALLOWED"
    assert len(plant.simulated.written) == before
    done = (await decide(client, card, repeat=card["title"]["en"])).json()
    assert [(one["step"], one["outcome"]) for one in done["proposal"]["outcomes"]] == [(0, "verified"), (1, "verified"), (2, "met")]
    assert (done["outcome"], done["state"]) == ("verified", "EXECUTED")
    assert (plant.simulated.get("vfd1.speed_sp"), plant.simulated.get("vfd1.run_cmd")) == (40, 1)
    assert [write.tag for write in plant.simulated.written[before:]] == ["vfd1.speed_sp", "vfd1.run_cmd"]
    kept = (await client.get(f"{API}/proposals/{card['id']}")).json()
    assert kept["outcomes"] == done["proposal"]["outcomes"]


async def test_running_procedure_is_stopped_by_a_person_T31(plant: RunningPlant) -> None:
    """The plant is steady: the pump never comes to a stand, so that the wait would go on for 90 s."""
    client, other = await plant.signed_in("operator"), await plant.signed_in("operator2")
    card = (await client.post(f"{API}/proposals", json={"procedure": "vfd1.stop", "reason": "test"})).json()
    confirming = asyncio.ensure_future(decide(client, card))
    async with asyncio.timeout(30):
        while not (await other.get(f"{API}/proposals/{card['id']}")).json()["outcomes"]:
            await plant.gateway.clock.sleep(0.05)
        viewer = await plant.signed_in("viewer")
        assert (await decide(viewer, card, "stop")).json()["code"] == "ROLE"
        assert (await decide(other, card, "stop", reason="wrong pump")).json()["state"] == "CONFIRMED"
        done = (await confirming).json()
    assert [one["outcome"] for one in done["proposal"]["outcomes"]] == ["verified", "not_met"]
    assert done["proposal"]["outcomes"][1]["message"]["en"] == "stopped by operator2: wrong pump"
    assert (done["outcome"], (await decide(other, card, "stop")).json()["code"]) == ("not_met", "NOT_ALLOWED")
    plant.simulated.set("vfd1.run_cmd", 1)


async def test_procedure_that_an_interlock_forbids_is_refused_T22(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    answer = await client.post(f"{API}/proposals", json={"procedure": "vfd2.start", "reason": "test"})
    assert (answer.status_code, answer.json()["code"]) == (422, "INTERLOCK")
    assert "fault_code == 0" in answer.json()["words"]["zh"]


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"procedure": "vfd1.start", "writes": [{"tag": "tc1.sp", "value": 36}], "reason": ""}, 422),
        ({"reason": ""}, 422),
        ({"procedure": "vfd1.strat", "reason": ""}, 404),
        ({"procedure": "vfd1.start", "reason": "", "confirmed": True}, 422),
    ],
    ids=["both", "neither", "unknown", "T08-extra"],
)
async def test_malformed_requests_are_refused(plant: RunningPlant, body: Mapping[str, object], status: int) -> None:
    answer = await (await plant.signed_in("operator")).post(f"{API}/proposals", json=body)
    assert answer.status_code == status


async def test_viewer_runs_nothing_T23(plant: RunningPlant) -> None:
    viewer = await plant.signed_in("viewer")
    answer = await viewer.post(f"{API}/proposals", json={"procedure": "vfd1.stop", "reason": ""})
    assert (answer.status_code, answer.json()["code"]) == (403, "ROLE")


async def test_undo_makes_a_new_card_and_says_what_moved_T34(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    card = (await propose(client, "tc1.sp", 36)).json()
    assert (await decide(client, card, "undo")).json()["code"] == "NOT_ALLOWED"
    assert (await decide(client, card)).json()["outcome"] == "verified"
    undo = (await decide(client, card, "undo", reason="too warm")).json()
    assert [(one["old"], one["new"]) for one in undo["writes"]] == [(36, 35)]
    assert (undo["state"], undo["reason"], undo["id"] != card["id"]) == ("PENDING", "too warm", True)
    assert (await decide(client, undo)).json()["read_back"] == 35
    refused = await decide(client, card, "undo")
    assert (refused.status_code, refused.json()["code"]) == (422, "NOT_ALLOWED")
    plant.simulated.set("tc1.sp", 33)
    moved = (await decide(client, card, "undo")).json()
    assert [(one["old"], one["new"]) for one in moved["writes"]] == [(33, 35)]
    assert "tc1.sp was changed since: it is 33 °C, after the write it was 36 °C" in moved["notes"][0]["en"].replace("degC", "°C")
    assert (await decide(client, moved, "reject", reason="seen")).status_code == 200
    plant.simulated.set("tc1.sp", 35)
    viewer = await plant.signed_in("viewer")
    assert (await decide(viewer, card, "undo")).json()["code"] == "ROLE"
    assert (await client.post(f"{API}/proposals/P-none/undo", json={})).status_code == 404


async def test_lockout_refuses_proposals_and_confirmations_until_it_is_released_T33(plant: RunningPlant) -> None:
    operator, engineer = await plant.signed_in("operator"), await plant.signed_in("engineer")
    card = (await propose(operator, "tc1.sp", 36)).json()
    locked = await engineer.post(f"{API}/lockouts", json={"scope": "*", "reason": "men at work"})
    (one,) = locked.json()
    assert (one["scope"], one["reason"], one["by"]) == ("*", "men at work", "engineer")
    assert (await operator.get(f"{API}/lockouts")).json() == locked.json()
    assert (await operator.get(f"{API}/me")).json()["lockout"] == {"scope": "*", "reason": "men at work", "by": "engineer", "more": "0"}
    for answer in (await decide(operator, card), await propose(operator, "plc1.auto_manual", "manual")):
        assert (answer.status_code, answer.json()["code"]) == (422, "LOCKED_OUT")
        assert "men at work" in answer.json()["words"]["zh"]
    answer = await operator.post(f"{API}/proposals", json={"procedure": "vfd1.stop", "reason": ""})
    assert answer.json()["code"] == "LOCKED_OUT"
    assert (await decide(await plant.signed_in("operator"), card, "undo")).status_code == 422
    released = await engineer.post(f"{API}/lockouts/release", json={"scope": "*", "reason": "done"})
    assert released.json() == []
    assert (await operator.get(f"{API}/me")).json()["lockout"] is None
    assert (await decide(operator, card)).json()["outcome"] == "verified"
    kinds = [record.kind for record in await plant.gateway.audit.entries(["locked_out", "released"])]
    assert kinds == ["released", "locked_out"]


@pytest.mark.parametrize(
    ("user", "path", "body", "status", "code"),
    [
        ("operator", "/lockouts", {"scope": "*", "reason": "x"}, 403, "ROLE"),
        ("operator", "/lockouts/release", {"scope": "*", "reason": "x"}, 403, "ROLE"),
        ("engineer", "/lockouts", {"scope": "*", "reason": "  "}, 422, "NOT_ALLOWED"),
        ("engineer", "/lockouts", {"scope": "*"}, 422, "INVALID"),
        ("engineer", "/lockouts", {"scope": "vfd9", "reason": "x"}, 404, "UNKNOWN_TAG"),
        ("engineer", "/lockouts/release", {"scope": "vfd1", "reason": "x"}, 404, "NOT_LOCKED"),
    ],
    ids=["T33-role", "T33-release-role", "blank-reason", "no-reason", "unknown-scope", "not-locked"],
)
async def test_lockouts_need_an_engineer_a_reason_and_something_that_is_there(
    plant: RunningPlant, user: str, path: str, body: Mapping[str, str], status: int, code: str
) -> None:
    answer = await (await plant.signed_in(user)).post(f"{API}{path}", json=body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert await plant.gateway.confirm.lockouts() == []


async def test_reject_with_a_reason_is_told_to_everybody(plant: RunningPlant) -> None:
    operator, other = await plant.signed_in("operator"), await plant.signed_in("operator2")
    card = (await propose(operator, "plc1.auto_manual", "manual")).json()
    done = (await decide(other, card, "reject", reason="pump is being serviced")).json()["proposal"]
    assert (done["state"], done["finished_by"], done["why"]) == ("REJECTED", "operator2", "pump is being serviced")
    seen = (await operator.get(f"{API}/proposals", params={"recent": 5})).json()
    assert (seen[0]["id"], seen[0]["why"]) == (card["id"], "pump is being serviced")
    assert (await decide(operator, card)).status_code == 409


async def test_partial_result_is_told_by_the_write_that_failed_T35(plant: RunningPlant) -> None:
    """The first write was done: what the answer says of the whole is how the second one ended."""
    client = await plant.signed_in("operator")
    body = {"writes": [{"tag": "tc1.sp", "value": 34}, {"tag": "plc1.auto_manual", "value": "manual"}], "reason": ""}
    card = (await client.post(f"{API}/proposals", json=body)).json()
    plant.simulated.set("plc1.auto_manual", 0)
    done = (await decide(client, card)).json()
    assert (done["outcome"], done["code"]) == ("changed_before", "CHANGED")
    assert [one["outcome"] for one in done["proposal"]["outcomes"]] == ["not_sent", "changed_before"]
    plant.simulated.set("plc1.auto_manual", 1)


async def test_lockout_survives_a_restart_T33(tmp_path: Path) -> None:
    async with running_plant(tmp_path) as plant:
        engineer = await plant.signed_in("engineer")
        assert (await engineer.post(f"{API}/lockouts", json={"scope": "vfd1", "reason": "coupling is off"})).status_code == 200
    async with running_plant(tmp_path) as plant:
        operator = await plant.signed_in("operator")
        assert (await operator.get(f"{API}/me")).json()["lockout"]["reason"] == "coupling is off"
        answer = await propose(operator, "vfd1.speed_sp", 44)
        assert (answer.status_code, answer.json()["code"]) == (422, "LOCKED_OUT")
        assert (await propose(operator, "tc1.sp", 36)).status_code == 200
