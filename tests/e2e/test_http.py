"""The HTTP interface over a running plant: sessions, roles, values, and the one way to write."""

import asyncio

import httpx
import pytest

from tests.running_plant import PASSWORD, RunningPlant

API = "/api/v1"


pytestmark = pytest.mark.asyncio(loop_scope="module")


async def propose(client: httpx.AsyncClient, tag: str, value: object, **headers: str) -> httpx.Response:
    body = {"writes": [{"tag": tag, "value": value}], "reason": "test"}
    return await client.post(f"{API}/proposals", json=body, headers=headers)


async def test_nothing_without_a_session_but_health(plant: RunningPlant) -> None:
    client = plant.client()
    for path in ("/me", "/devices", "/points", "/alarms", "/proposals", "/audit", "/links", "/events", "/history?tag=a&start=x&end=y"):
        assert (await client.get(f"{API}{path}")).status_code == 401, path
    assert (await client.get("/healthz")).json()["devices"] == 6
    assert 'busmate_unit_up{device="vfd1",link="line1"} 1' in (await client.get("/metrics")).text


async def test_login_sets_a_strict_cookie_and_wrong_passwords_are_told_alike_T42(plant: RunningPlant) -> None:
    client = plant.client()
    answer = await client.post(f"{API}/login", json={"user": "operator", "password": PASSWORD})
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    wrong = [await plant.client().post(f"{API}/login", json={"user": user, "password": "wrong"}) for user in ("operator", "nobody")]
    assert [one.status_code for one in wrong] == [401, 401]
    assert wrong[0].json() == wrong[1].json()


async def test_sixth_try_waits_T42(plant: RunningPlant) -> None:
    for _ in range(5):
        await plant.client().post(f"{API}/login", json={"user": "operator2", "password": "wrong"})
    locked = await plant.client().post(f"{API}/login", json={"user": "operator2", "password": PASSWORD})
    assert (locked.status_code, locked.json()["code"]) == (429, "SIGN_IN_LOCKED")


async def test_each_login_has_its_own_session_and_logout_ends_it_T43(plant: RunningPlant) -> None:
    second = await plant.signed_in("operator")
    plant.sessions.clear()
    first = await plant.signed_in("operator")
    plant.sessions.clear()
    assert first.cookies["busmate_session"] != second.cookies["busmate_session"]
    token = first.cookies["busmate_session"]
    assert (await first.post(f"{API}/logout", json={})).status_code == 204
    stolen = plant.client()
    stolen.cookies.set("busmate_session", token, domain="plant.test")
    assert (await stolen.get(f"{API}/me")).status_code == 401
    assert (await second.get(f"{API}/me")).json()["user"] == "operator"


async def test_changes_need_the_token_of_the_session_T40(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    del client.headers["x-csrf-token"]
    answer = await propose(client, "vfd1.speed_sp", 47)
    assert (answer.status_code, answer.json()["code"]) == (403, "CSRF")


async def test_points_carry_value_unit_quality_and_age(plant: RunningPlant) -> None:
    client = await plant.signed_in("viewer")
    found = (await client.get(f"{API}/points", params={"query": "discharge pressure"})).json()[0]
    assert found["tag"] == "plc1.discharge_pressure"
    assert (found["sample"]["value"], found["sample"]["unit"], found["sample"]["quality"]) == (4.2, "bar", "GOOD")
    assert 0 <= found["sample"]["age_s"] < 5
    unknown = await client.get(f"{API}/points/lt1.levl")
    assert (unknown.status_code, unknown.json()["near"][0]) == (404, "lt1.level")


async def test_write_is_proposed_confirmed_written_once_and_audited(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    card = (await propose(client, "vfd1.speed_sp", 47)).json()
    assert (card["writes"][0]["old"], card["writes"][0]["new"], card["state"]) == (45, 47, "PENDING")
    assert plant.simulated.get("vfd1.speed_sp") == 45
    done = (await client.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": card["nonce"]})).json()
    assert (done["outcome"], done["read_back"]) == ("verified", 47)
    again = await client.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": card["nonce"]})
    assert again.status_code == 409
    assert again.json()["proposal"]["outcomes"][0]["outcome"] == "verified"
    assert [write.tag for write in plant.simulated.written].count("vfd1.speed_sp") == 1
    entry = (await client.get(f"{API}/audit")).json()[0]
    assert (entry["tag"], entry["old"], entry["new"], entry["outcome"], entry["user"]) == ("vfd1.speed_sp", 45, 47, "verified", "operator")


async def test_two_clicks_at_once_write_once_T24(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    card = (await propose(client, "tc1.sp", 36)).json()
    url, body = f"{API}/proposals/{card['id']}/confirm", {"nonce": card["nonce"]}
    answers = await asyncio.gather(*(client.post(url, json=body) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409, 409, 409]
    assert [write.tag for write in plant.simulated.written].count("tc1.sp") == 1


@pytest.mark.parametrize(
    ("user", "tag", "value", "status", "code"),
    [
        ("operator", "vfd1.speed_sp", 60, 422, "LIMIT_MAX"),
        ("operator", "vfd2.speed_sp", 30, 422, "MAX_STEP"),
        ("operator", "vfd1.accel_time", 20, 403, "ROLE"),
        ("viewer", "vfd1.speed_sp", 47, 403, "ROLE"),
        ("engineer", "lt1.level", 80, 422, "READ_ONLY"),
        ("operator", "vfd2.run_cmd", "run", 422, "INTERLOCK"),
        ("operator", "vfd1.speed_sp", "fast", 422, "UNREPRESENTABLE"),
        ("operator", "vfd1.speed_sp", True, 422, "UNREPRESENTABLE"),
        ("operator", "vfd1.run_cmd", "sprint", 422, "ENUM"),
        ("operator", "holding 40001", 1, 422, "NO_RAW"),
    ],
    ids=lambda value: str(value),
)
async def test_refusals_name_their_code_and_nothing_is_sent(
    plant: RunningPlant, user: str, tag: str, value: object, status: int, code: str
) -> None:
    before = len(plant.simulated.written)
    answer = await propose(await plant.signed_in(user), tag, value)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.json()["words"]["zh"] != answer.json()["words"]["en"]
    assert len(plant.simulated.written) == before


async def test_two_person_point_needs_somebody_else_T29(plant: RunningPlant) -> None:
    first = await plant.signed_in("engineer")
    card = (await propose(first, "em1.reset_energy", "reset")).json()
    url = f"{API}/proposals/{card['id']}/confirm"
    assert (await first.post(url, json={"nonce": card["nonce"]})).json()["state"] == "PENDING"
    assert (await first.post(url, json={"nonce": card["nonce"]})).json()["code"] == "SECOND_PERSON"
    second = await plant.signed_in("admin")
    nonce = (await second.get(f"{API}/proposals/{card['id']}")).json()["nonce"]
    done = (await second.post(url, json={"nonce": nonce})).json()
    assert done["outcome"] == "acknowledged"


async def test_viewer_is_shown_no_nonce_and_may_not_confirm(plant: RunningPlant) -> None:
    operator, viewer = await plant.signed_in("operator"), await plant.signed_in("viewer")
    card = (await propose(operator, "plc1.auto_manual", "manual")).json()
    assert (await viewer.get(f"{API}/proposals/{card['id']}")).json()["nonce"] is None
    answer = await viewer.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": card["nonce"]})
    assert (answer.status_code, answer.json()["code"]) == (403, "ROLE")


@pytest.mark.parametrize("nonce", ["guess", "\xe9", "密", "0" * 200])
async def test_wrong_nonce_of_whatever_letters_is_refused(plant: RunningPlant, nonce: str) -> None:
    client = await plant.signed_in("operator")
    card = (await propose(client, "plc1.auto_manual", "manual")).json()
    answer = await client.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": nonce})
    assert (answer.status_code, answer.json()["code"]) == (422, "NOT_ALLOWED")


async def test_idempotency_key_gives_one_proposal_S24(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    first = (await propose(client, "plc1.reset_alarm", "reset", **{"Idempotency-Key": "k1"})).json()
    second = (await propose(client, "plc1.reset_alarm", "reset", **{"Idempotency-Key": "k1"})).json()
    assert first["id"] == second["id"]


@pytest.mark.parametrize(
    "body",
    ['{"writes": [{"tag": "vfd1.speed_sp", "value": NaN}], "reason": ""}', '{"writes": [{"tag": "a", "value": 1e309}], "reason": ""}'],
)
async def test_numbers_that_are_none_are_refused_T20(plant: RunningPlant, body: str) -> None:
    client, before = await plant.signed_in("operator"), len(plant.simulated.written)
    answer = await client.post(f"{API}/proposals", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (404, 422)
    assert len(plant.simulated.written) == before


@pytest.mark.parametrize("extra", ["confirmed", "user", "role", "force"])
async def test_unknown_keys_are_refused_T08(plant: RunningPlant, extra: str) -> None:
    client = await plant.signed_in("operator")
    body = {"writes": [{"tag": "vfd1.speed_sp", "value": 47}], "reason": "", extra: True}
    assert (await client.post(f"{API}/proposals", json=body)).json()["code"] == "INVALID"


async def test_alarms_are_acknowledged_by_operators_only(plant: RunningPlant) -> None:
    viewer, operator = await plant.signed_in("viewer"), await plant.signed_in("operator")
    alarms = (await operator.get(f"{API}/alarms")).json()
    found = next(alarm for alarm in alarms if alarm["tag"] == "vfd1.motor_temp")
    assert (await viewer.post(f"{API}/alarms/{found['id']}/ack", json={})).status_code == 403
    assert (await operator.post(f"{API}/alarms/{found['id']}/ack", json={})).json()["state"] == "ACK_ACTIVE"


async def test_history_needs_a_time_zone_and_gives_what_was_stored(plant: RunningPlant) -> None:
    client = await plant.signed_in("viewer")
    bad = await client.get(f"{API}/history", params={"tag": "lt1.level", "start": "2026-01-01T00:00:00", "end": "2026-01-02T00:00:00"})
    assert bad.json()["code"] == "INVALID"
    good = await client.get(f"{API}/history", params={"tag": "lt1.level", "start": "2026-01-01T00:00:00Z", "end": "2036-01-01T00:00:00Z"})
    assert {point["value"] for point in good.json()["points"]} == {63}
