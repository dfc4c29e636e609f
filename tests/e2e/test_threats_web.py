"""Threats from the web and to identity (THREATS C) that no other file tries whole."""

import asyncio

import httpx
import pytest

from gateway.api.events import EventHub
from gateway.api.shield import Message, Shield
from tests.running_plant import PASSWORD, RunningPlant

API = "/api/v1"

pytestmark = pytest.mark.asyncio(loop_scope="module")


FORGED = {
    "form": {"content-type": "application/x-www-form-urlencoded"},
    "text": {"content-type": "text/plain"},
    "no-type": {"content-type": ""},
    "other-site": {"content-type": "application/json", "sec-fetch-site": "cross-site"},
    "other-origin": {"content-type": "application/json", "origin": "http://evil.example"},
    "sandbox": {"content-type": "application/json", "origin": "null"},
}


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("path", ["/proposals", "/maps/reload", "/maps/check", "/login", "/users"])
async def test_request_that_a_foreign_page_can_send_changes_nothing_T40(plant: RunningPlant, path: str, headers: dict[str, str]) -> None:
    client = await plant.signed_in("admin")
    body = '{"user": "operator", "password": "' + PASSWORD + '", "writes": [], "reason": "", "text": ""}'
    answer = await client.post(f"{API}{path}", content=body, headers=headers)
    assert answer.status_code in (403, 422), answer.text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    "host", ["evil.example", "plant.test.evil.example", "127.0.0.1.nip.io", "[::ffff:10.0.0.1]", "plant.test@evil.example"]
)
async def test_name_that_was_pointed_at_the_gateway_reads_nothing_T41(plant: RunningPlant, host: str) -> None:
    client = await plant.signed_in("operator")
    for path in ("/", "/static/app.js", f"{API}/points", f"{API}/events"):
        assert (await client.get(path, headers={"host": host})).status_code == 403


async def test_stream_of_a_foreign_page_is_refused_T41(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    answer = await client.get(f"{API}/events", headers={"origin": "http://evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (403, "HOST")


NASTY = '<img src=x onerror="alert(1)">'


async def test_reason_and_name_come_back_as_text_in_json_T46(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    made = await client.post(f"{API}/proposals", json={"writes": [{"tag": "tc1.sp", "value": 36}], "reason": NASTY})
    assert made.headers["content-type"] == "application/json"
    assert made.headers["x-content-type-options"] == "nosniff"
    assert made.json()["reason"] == NASTY
    unknown = await client.get(f"{API}/points/{NASTY}")
    assert unknown.headers["content-type"] == "application/problem+json"


async def test_one_persons_card_is_confirmed_in_another_session_only_with_its_nonce_T47(plant: RunningPlant) -> None:
    first, second = await plant.signed_in("operator"), await plant.signed_in("engineer")
    card = (await first.post(f"{API}/proposals", json={"writes": [{"tag": "vfd1.speed_sp", "value": 46}], "reason": "x"})).json()
    guessed = await second.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": "0" * 43})
    assert guessed.json()["code"] == "NOT_ALLOWED"
    assert plant.simulated.get("vfd1.speed_sp") == 45


@pytest.mark.parametrize("path", ["/", "/static/app.js", f"{API}/me", f"{API}/nothing", "/healthz"])
async def test_no_page_may_frame_ours_T48(plant: RunningPlant, path: str) -> None:
    answer = await plant.client().get(path)
    policy = answer.headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy
    assert "default-src 'self'" in policy
    assert "unsafe" not in policy


async def test_what_needs_two_steps_is_not_done_by_a_click_T48(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    card = (await client.post(f"{API}/proposals", json={"procedure": "vfd1.start", "reason": "x"})).json()
    before = len(plant.simulated.written)
    clicked = await client.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": card["nonce"]})
    assert (clicked.status_code, clicked.json()["code"]) == (422, "NOT_ALLOWED")
    assert len(plant.simulated.written) == before


async def test_streams_of_one_session_and_of_all_are_bounded_T49() -> None:
    hub = EventHub(limit=5, limit_of_one=2)
    streams = [hub.stream(key) for key in ("a", "a", "b", "b", "c")]
    for place, stream in enumerate(streams):
        assert hub.is_full("a") is (place >= 2)
        await anext(stream)
    assert [hub.is_full(key) for key in ("a", "d")] == [True, True]
    hub.end(["a"])
    assert [hub.is_full(key) for key in ("a", "b")] == [False, True]
    hub.close()
    for stream in streams:
        assert [event async for event in stream][-1:] in ([], ["event: signed_out\ndata: {}\n\n"])


async def test_page_that_does_not_read_is_cut_off_and_costs_the_others_nothing_T49() -> None:
    hub = EventHub()
    slow, quick = hub.stream("slow"), hub.stream("quick")
    await anext(slow)
    await anext(quick)
    for number in range(100):
        hub.publish("samples", number)
        assert await anext(quick) == f"event: samples\ndata: {number}\n\n"
    assert [event async for event in slow] == []
    hub.close()


async def test_slow_body_is_given_up_T49() -> None:
    async def never(_: object, __: object, ___: object) -> None:
        pytest.fail("a body that never came whole reached the application")

    async def trickle() -> Message:
        await asyncio.sleep(0.001)
        return {"type": "http.request", "body": b"[", "more_body": True}

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"host", b"plant.test"), (b"transfer-encoding", b"chunked"), (b"content-type", b"application/json")]
    scope = {"type": "http", "method": "POST", "path": "/x", "headers": headers}
    await Shield(never, ["plant.test"], body_s=0.02)(scope, trickle, send)
    assert sent[0]["status"] == 408
    assert b"TOO_SLOW" in sent[1]["body"]


async def test_flood_of_requests_leaves_polling_alone_T49(plant: RunningPlant) -> None:
    client = await plant.signed_in("viewer")
    before = plant.gateway.read.latest(["plc1.discharge_pressure"])[0].read_at
    answers = await asyncio.gather(*(client.get(f"{API}/points") for _ in range(60)), return_exceptions=True)
    assert {answer.status_code for answer in answers if isinstance(answer, httpx.Response)} == {200}
    while plant.gateway.read.latest(["plc1.discharge_pressure"])[0].read_at == before:
        await plant.gateway.clock.sleep(0.05)
    sample = plant.gateway.read.latest(["plc1.discharge_pressure"])[0]
    assert (sample.quality, sample.reason) == ("GOOD", None)
