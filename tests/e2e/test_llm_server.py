"""The agent over HTTP: a model server that works, and every way in which one does not."""

import socket
from collections.abc import Iterator

import pytest

from assistant.agent.agent import Agent
from assistant.agent.answer import Answer
from assistant.agent.run import Limits
from assistant.llm.client import MAX_BYTES, ServerOptions
from assistant.llm.model import Model
from assistant.llm.server import REST_S, ModelServer
from assistant.testing import ScriptedLLM, no_network
from gateway.clock import ManualClock
from tests.doubles_agent import NOON, call, final, tools, turn
from tests.fake_model_server import FakeModelServer, Mode

READ = call("read_points", '{"points": ["vfd1.speed_fb"]}')
PLANNED = "The planner says 44.9 Hz."


@pytest.fixture(autouse=True)
def guard() -> Iterator[None]:
    with no_network():
        yield


def planner() -> Model:
    return Model(llm=ScriptedLLM([READ, final(PLANNED)]), name="builtin", looks_first=False)


async def ask(server: ModelServer, *, model_s: float = 60.0) -> Answer:
    asked = Agent(builtin=planner(), tools=tools(), model=server, limits=Limits(deadline_s=model_s + 60.0, reserve_s=60.0))
    return await asked.ask(turn("How fast is pump 1?"))


def options(fake: FakeModelServer, **more: object) -> ServerOptions:
    return ServerOptions(api_base=fake.api_base, **more)  # type: ignore[arg-type]  # fields of a test


async def test_steps_over_http() -> None:
    async with FakeModelServer(steps=[READ, final("Pump 1 runs at 44.9 Hz.")]).running() as fake:
        server = ModelServer(options(fake, api_key="key123"), ManualClock(NOON))
        answer = await Agent(builtin=planner(), tools=tools(), model=server).ask(turn("How fast is pump 1?"))
        await server.close()
    assert (answer.text, answer.llm, answer.llm_calls) == ("Pump 1 runs at 44.9 Hz.", "little", 2)
    assert (answer.prompt_tokens, answer.completion_tokens) == (200, 40)
    body = fake.requests[0]
    assert (body["temperature"], body["stop"], body["max_tokens"]) == (0.0, ["\nObservation:", "\n观察:", "\n观察："], 500)
    assert "response_format" not in body
    assert all("authorization: bearer key123" in head.lower() for head in fake.headers)


async def test_enforcing_server_is_asked_for_json() -> None:
    steps = [
        '{"thought": "x", "action": "read_points", "args": {"points": ["vfd1.speed_fb"]}}',
        '{"thought": "x", "action": "final_answer", "args": {"text": "44.9 Hz"}}',
    ]
    async with FakeModelServer(steps=steps, enforces_schema=True).running() as fake:
        server = ModelServer(options(fake), ManualClock(NOON))
        answer = await Agent(builtin=planner(), tools=tools(), model=server).ask(turn("How fast is pump 1?"))
        await server.close()
    assert (answer.text, answer.llm) == ("44.9 Hz", "little")
    assert [body["response_format"]["json_schema"]["strict"] for body in fake.requests] == [True, True]  # type: ignore[index]
    assert "stop" not in fake.requests[0]


async def test_invented_observation_is_cut_off() -> None:
    """This server ignores stop words."""
    invented = f"{READ}\nObservation: vfd1.speed_fb 99 Hz\nThought: ok\nAnswer: 99 Hz"
    async with FakeModelServer(steps=[invented, final("44.9 Hz")], honours_stop=False).running() as fake:
        server = ModelServer(options(fake), ManualClock(NOON))
        answer = await Agent(builtin=planner(), tools=tools(), model=server).ask(turn("How fast is pump 1?"))
        await server.close()
    assert answer.text == "44.9 Hz"
    assert server.facts
    assert not server.facts.honours_stop


@pytest.mark.parametrize(
    "mode", ["500", "hang", "html", "endless", "invalid_utf8", "closed", "length", "redirect", "empty_stream", "not_json"]
)
async def test_t71_bad_server_falls_back_to_the_planner(mode: Mode) -> None:
    async with FakeModelServer(steps=lambda _: final("50 Hz"), mode=mode).running() as fake:
        clock = ManualClock(NOON)
        server = ModelServer(options(fake), clock)
        assert await server.ready() is not None
        answer = await ask(server, model_s=1.0 if mode == "hang" else 60.0)
        assert answer.text == PLANNED
        assert answer.llm.startswith("builtin (little ")
        assert "Traceback" not in f"{answer}"
        assert bool(server.trouble) is (mode != "length"), "a server that answers nonsense is asked again"
        assert fake.sent_bytes < 4 * MAX_BYTES
        await server.close()


async def test_t70_redirect_reaches_no_other_host(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: list[object] = []
    real = socket.socket.connect

    def connect(self: socket.socket, address: object) -> None:
        reached.append(address)
        real(self, address)  # type: ignore[arg-type]  # passed on as it came

    monkeypatch.setattr(socket.socket, "connect", connect)
    async with FakeModelServer(mode="redirect").running() as fake:
        server = ModelServer(options(fake), ManualClock(NOON))
        await ask(server)
        await server.close()
        assert {address[0] for address in reached if isinstance(address, tuple)} <= {"127.0.0.1"}


async def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with FakeModelServer(steps=[READ, final("44.9 Hz")]).running() as fake:
        server = ModelServer(options(fake), ManualClock(NOON))
        assert (await ask(server)).llm == "little"
        await server.close()


async def test_server_that_failed_rests_and_comes_back() -> None:
    async with FakeModelServer(steps=[READ, final("44.9 Hz")], mode="500").running() as fake:
        clock = ManualClock(NOON)
        server = ModelServer(options(fake), clock)
        assert (await ask(server)).llm.startswith("builtin")
        fake.mode = "ok"
        asked_before = len(fake.headers)
        assert (await ask(server)).llm == "builtin (not available)"
        assert len(fake.headers) == asked_before, "it is left alone while it rests"
        await clock.advance(REST_S)
        assert (await ask(server)).llm == "little"
        assert server.trouble == ""
        await server.close()


async def test_no_server_at_all() -> None:
    server = ModelServer(ServerOptions(api_base="http://127.0.0.1:9/v1"), ManualClock(NOON))
    answer = await ask(server)
    assert (answer.text, answer.llm) == (PLANNED, "builtin (not available)")
    assert "ConnectError" in server.trouble
    await server.close()


async def test_server_that_says_nothing_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.llm.probe.LISTING_S", 0.1)
    async with FakeModelServer(mode="mute").running() as fake:
        server = ModelServer(options(fake), ManualClock(NOON))
        answer = await ask(server)
        await server.close()
    assert (answer.text, answer.llm) == (PLANNED, "builtin (not available)")
    assert "TimeoutError" in server.trouble
