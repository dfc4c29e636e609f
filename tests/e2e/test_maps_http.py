"""Explaining values and changing maps over HTTP, on a running plant (THREATS T63, CASES S18)."""

from typing import Any

import httpx
import pytest

from gateway.app.reload import Candidate
from gateway.errors import StoreError
from gateway.maps.schema import json_schema
from tests.running_plant import RunningPlant

API = "/api/v1"

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def text_of(client: httpx.AsyncClient, map_id: str) -> dict[str, Any]:
    answer = await client.get(f"{API}/maps/{map_id}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def put(client: httpx.AsyncClient, map_id: str, *edits: tuple[str, object], base: str | None = None) -> httpx.Response:
    given = base if base is not None else (await text_of(client, map_id))["digest"]
    body = {"base": given, "edits": [{"path": path.split("."), "value": value} for path, value in edits], "reason": "test"}
    return await client.put(f"{API}/maps/{map_id}", json=body)


async def test_a_live_value_is_explained(plant: RunningPlant) -> None:
    client = await plant.signed_in("viewer")
    one = (await client.get(f"{API}/points/vfd1.speed_sp/explain")).json()
    assert (one["value"], one["unit"], one["quality"], one["words"]) == (45, "Hz", "GOOD", ["0x1194"])
    assert (one["wire"]["request"], one["wire"]["reply"]) == ("01 03 20 01 00 01 DE 0A", "01 03 02 11 94 B5 BB")
    assert one["map"]["file"].endswith("demo_vx200.yaml")
    assert one["age_s"] < 5
    assert one["health"]["state"] == "ok"


async def test_typed_words_and_wrong_ones(plant: RunningPlant) -> None:
    client = await plant.signed_in("viewer")
    typed = (await client.get(f"{API}/points/vfd1.speed_sp/explain", params={"words": "0x125C"})).json()
    assert (typed["value"], typed["age_s"], typed["is_typed"]) == (47, None, True)
    wrong = await client.get(f"{API}/points/vfd1.speed_sp/explain", params={"words": "12 34"})
    assert (wrong.status_code, wrong.json()["code"]) == (422, "WORDS")
    assert (await client.get(f"{API}/points/vfd1.nothing/explain")).status_code == 404
    assert (await plant.client().get(f"{API}/points/vfd1.speed_sp/explain")).status_code == 401


@pytest.mark.parametrize("user", ["viewer", "operator"])
async def test_maps_are_for_engineers(plant: RunningPlant, user: str) -> None:
    client = await plant.signed_in(user)
    answers = [
        await client.get(f"{API}/maps"),
        await client.put(f"{API}/maps/demo_lt50", json={"base": "", "text": "x"}),
        await client.post(f"{API}/maps/reload", json={}),
        await client.post(f"{API}/maps/changes/x/confirm", json={}),
    ]
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(403, "ROLE")}


async def test_maps_are_listed_with_their_devices_and_the_schema_is_served(plant: RunningPlant) -> None:
    client = await plant.signed_in("engineer")
    listed = {one["id"]: one for one in (await client.get(f"{API}/maps")).json()}
    assert listed["demo_vx200"]["devices"] == ["vfd1", "vfd2"]
    assert (await client.get(f"{API}/maps/schema.json")).json() == json_schema()
    assert (await plant.client().get(f"{API}/maps/schema.json")).status_code == 200, "an editor can't sign in"
    assert (await client.get(f"{API}/maps/no-such")).status_code == 404


async def test_text_is_checked_with_line_and_fix(plant: RunningPlant) -> None:
    client = await plant.signed_in("engineer")
    text = (await text_of(client, "demo_lt50"))["text"].replace("unit: ", "unti: ", 1)
    found = (await client.post(f"{API}/maps/check", json={"text": text})).json()
    assert found["errors"][0]["code"] == "unknown_key"
    assert text.splitlines()[found["errors"][0]["line"] - 1].strip().startswith("unti:")


async def test_harmless_change_counts_at_once_and_is_kept(plant: RunningPlant) -> None:
    client = await plant.signed_in("engineer")
    before = await text_of(client, "demo_lt50")
    done = (await put(client, "demo_lt50", ("points.level.description", {"en": "from the bottom", "zh": "距罐底"}))).json()
    assert (done["state"], [change["risk"] for change in done["changes"]]) == ("active", [None])
    after = await text_of(client, "demo_lt50")
    assert before["is_shipped"]
    assert not after["is_shipped"]
    assert [(version["number"], version["by"]) for version in after["versions"]] == [(1, ""), (2, "engineer")]
    point = (await client.get(f"{API}/points/lt1.level")).json()
    assert point["description"]["en"] == "from the bottom"


async def test_risky_change_needs_a_second_engineer_and_can_be_rolled_back_T63(plant: RunningPlant) -> None:
    first, second = await plant.signed_in("engineer"), await plant.signed_in("admin")
    path = "points.sp.write.max"
    old = (await first.get(f"{API}/points/tc1.sp")).json()["max"]
    wanted = (await put(first, "demo_tc10", (path, old - 1))).json()
    assert wanted["state"] == "active", "tightening needs nobody"
    widened = (await put(first, "demo_tc10", (path, old))).json()
    assert (widened["state"], widened["changes"][0]["key"]) == ("pending", "write.max")
    assert widened["changes"][0]["risk"]["zh"]
    assert (await first.get(f"{API}/points/tc1.sp")).json()["max"] == old - 1
    url = f"{API}/maps/changes/{widened['id']}/confirm"
    assert (await first.post(url, json={})).json()["code"] == "SECOND_PERSON"
    assert [one["id"] for one in (await second.get(f"{API}/maps/changes")).json()] == [widened["id"]]
    assert (await second.post(url, json={})).json()["state"] == "active"
    assert (await second.post(url, json={})).json()["code"] == "EXPIRED"
    assert (await first.get(f"{API}/points/tc1.sp")).json()["max"] == old
    now = await text_of(first, "demo_tc10")
    back = await first.post(f"{API}/maps/demo_tc10/rollback", json={"version": 2, "base": now["digest"], "reason": "back"})
    assert back.json()["state"] == "active"
    assert (await first.get(f"{API}/points/tc1.sp")).json()["max"] == old - 1
    records = await plant.gateway.audit.entries(["map_change"], "demo_tc10")
    assert [(record.body["by"], record.body["confirmed_by"]) for record in records] == [
        ("engineer", ""),
        ("engineer", "admin"),
        ("engineer", ""),
    ]


async def test_a_change_is_shown_with_its_risks_before_anything_is_kept(plant: RunningPlant) -> None:
    client = await plant.signed_in("engineer")
    found = await text_of(client, "demo_lt50")
    text = found["text"].replace("max: 100}", "max: 120}", 1)
    shown = (await client.post(f"{API}/maps/demo_lt50/preview", json={"base": found["digest"], "text": text})).json()
    assert (shown["state"], shown["expires_s"]) == ("preview", 0)
    (one,) = shown["changes"]
    assert (one["point"], one["key"], one["old"], one["new"]) == ("level", "valid", "min: 0, max: 100", "min: 0, max: 120")
    assert one["risk"]["zh"]
    assert await text_of(client, "demo_lt50") == found
    assert (await client.get(f"{API}/maps/changes")).json() == []
    same = (await client.post(f"{API}/maps/demo_lt50/preview", json={"base": found["digest"], "text": found["text"]})).json()
    assert (same["state"], same["changes"]) == ("preview", [])
    viewer = await plant.signed_in("viewer")
    answer = await viewer.post(f"{API}/maps/demo_lt50/preview", json={"base": found["digest"], "text": text})
    assert answer.status_code == 403


async def test_a_kept_state_can_be_read(plant: RunningPlant) -> None:
    client = await plant.signed_in("engineer")
    before = await text_of(client, "demo_doseplc")
    await put(client, "demo_doseplc", ("points.estop.page", 99))
    kept = (await client.get(f"{API}/maps/demo_doseplc/versions/1")).json()
    assert kept == {"number": 1, "text": before["text"]}
    assert (await client.get(f"{API}/maps/demo_doseplc/versions/9")).json()["code"] == "UNKNOWN_VERSION"


async def test_rejected_change_is_gone(plant: RunningPlant) -> None:
    first, second = await plant.signed_in("engineer"), await plant.signed_in("admin")
    wanted = (await put(first, "demo_em300", ("points.voltage_l1.scale", 1))).json()
    assert wanted["state"] == "pending"
    assert (await second.post(f"{API}/maps/changes/{wanted['id']}/reject", json={})).json()["state"] == "rejected"
    assert (await second.get(f"{API}/maps/changes")).json() == []
    assert (await second.post(f"{API}/maps/changes/{wanted['id']}/confirm", json={})).json()["code"] == "EXPIRED"


async def test_invalid_map_changes_nothing_S18(plant: RunningPlant) -> None:
    client = await plant.signed_in("engineer")
    before = await text_of(client, "demo_em300")
    answer = await put(client, "demo_em300", ("points.voltage_l1.scale", "large"))
    assert (answer.status_code, answer.json()["code"]) == (422, "MAP")
    finding = answer.json()["findings"][0]
    assert (finding["path"], finding["file"].endswith("demo_em300.yaml"), finding["line"] > 0) == ("points.voltage_l1.scale", True, True)
    assert await text_of(client, "demo_em300") == before


async def test_change_that_breaks_the_plant_around_the_map_is_refused(plant: RunningPlant) -> None:
    client = await plant.signed_in("engineer")
    base = (await text_of(client, "demo_lt50"))["digest"]
    body = {"base": base, "edits": [{"path": ["points", "signal_quality"], "remove": True}]}
    answer = await client.put(f"{API}/maps/demo_lt50", json=body)
    assert answer.status_code == 422, answer.text
    (finding,) = answer.json()["findings"]
    assert (finding["file"].endswith("demo.yaml"), finding["path"]) == (True, "devices.4.points.signal_quality")
    assert (await text_of(client, "demo_lt50"))["digest"] == base


async def test_two_editors_do_not_overwrite_each_other(plant: RunningPlant) -> None:
    client = await plant.signed_in("engineer")
    answer = await put(client, "demo_lt50", ("points.level.page", 99), base="0" * 16)
    assert (answer.status_code, answer.json()["findings"][0]["code"]) == (409, "changed_meanwhile")


@pytest.mark.parametrize(
    ("map_id", "body"),
    [
        ("demo_lt50", {"base": ""}),
        ("demo_lt50", {"base": "", "text": "a", "edits": [{"path": ["x"]}]}),
        ("..%2Fdemo_lt50", {"base": "", "text": "regmap: 1"}),
        ("demo_other", {"base": "", "text": "regmap: [1"}),
    ],
    ids=["neither", "both", "path", "no-yaml"],
)
async def test_bad_requests_change_nothing(plant: RunningPlant, map_id: str, body: dict[str, object]) -> None:
    client = await plant.signed_in("engineer")
    assert (await client.put(f"{API}/maps/{map_id}", json=body)).status_code in (404, 422)


async def test_reload_with_nothing_new_changes_nothing(plant: RunningPlant) -> None:
    client = await plant.signed_in("engineer")
    assert (await client.post(f"{API}/maps/reload", json={})).json()["state"] == "unchanged"


async def test_files_that_changed_after_the_card_was_shown_are_not_put_in_place(
    plant: RunningPlant, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await plant.signed_in("engineer"), await plant.signed_in("admin")
    wanted = (await put(first, "demo_em300", ("points.voltage_l1.scale", 1))).json()
    monkeypatch.setattr(Candidate, "digest", property(lambda self: "another"))
    answer = await second.post(f"{API}/maps/changes/{wanted['id']}/confirm", json={})
    assert answer.json()["code"] == "CHANGED"
    assert (await first.get(f"{API}/points/em1.voltage_l1/explain")).json()["steps"][2]["text"]["en"] == "x 0.1"


@pytest.mark.parametrize("broken", ["map_change", "reload"])
async def test_audit_that_cannot_be_written_changes_nothing(plant: RunningPlant, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    client = await plant.signed_in("engineer")
    before = await text_of(client, "demo_em300")
    record = plant.gateway.audit.record

    async def full(kind: str, subject: str, body: dict[str, object]) -> object:
        if kind == broken:
            raise StoreError("disk full")
        return await record(kind, subject, body)

    monkeypatch.setattr(plant.gateway.audit, "record", full)
    answer = await put(client, "demo_em300", ("points.voltage_l1.page", 99))
    assert answer.status_code == 503, answer.text
    assert (await text_of(client, "demo_em300"))["text"] == before["text"]
    assert (await client.get(f"{API}/points/em1.voltage_l1/explain")).json()["map"]["page"] != "99"
