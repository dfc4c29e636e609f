"""The model server's client, its self-test, and the shipped doubles."""

import asyncio
import socket

import httpx
import pytest

from assistant.errors import ModelUnavailableError
from assistant.llm.client import MAX_BYTES, ServerOptions, async_http, http
from assistant.llm.probe import DEFAULT_CONTEXT, ServerFacts, first_model, probe
from assistant.llm.server import REST_S, ModelServer, embedding
from assistant.testing import HashEmbedding, ScriptedLLM, ScriptExhaustedError, no_network
from gateway.clock import ManualClock
from tests.doubles_agent import NOON
from tests.fake_model_server import FakeModelServer


def transport(*replies: httpx.Response) -> httpx.AsyncClient:
    left = list(replies)
    return httpx.AsyncClient(transport=httpx.MockTransport(lambda _: left.pop(0)))


OPTIONS = ServerOptions(api_base="http://127.0.0.1:9/v1")


@pytest.mark.parametrize(
    ("fake", "facts"),
    [
        pytest.param(
            FakeModelServer(), ServerFacts(model="little", context_tokens=8192, enforces_schema=False, honours_stop=True), id="plain"
        ),
        pytest.param(
            FakeModelServer(enforces_schema=True, honours_stop=False, context=None),
            ServerFacts(model="little", context_tokens=DEFAULT_CONTEXT, enforces_schema=True, honours_stop=False),
            id="no_props",
        ),
    ],
)
async def test_probe_finds_what_the_server_does(fake: FakeModelServer, facts: ServerFacts) -> None:
    async with fake.running():
        options = ServerOptions(api_base=fake.api_base)
        async with async_http(options) as client:
            assert await probe(client, options) == facts


async def test_settings_overrule_the_server() -> None:
    fake = FakeModelServer()
    async with fake.running():
        options = ServerOptions(api_base=fake.api_base, model="mine", context_tokens=2048)
        async with async_http(options) as client:
            facts = await probe(client, options)
    assert (facts.model, facts.context_tokens) == ("mine", 2048)


@pytest.mark.parametrize(
    "replies",
    [
        pytest.param([httpx.Response(200, text="<html>log in</html>")], id="html"),
        pytest.param([httpx.Response(500)], id="500"),
        pytest.param([httpx.Response(302, headers={"location": "http://169.254.169.254/"})], id="redirect"),
        pytest.param([httpx.Response(200, json={"data": []})], id="no_model"),
        pytest.param([httpx.Response(200, json=[1])], id="list"),
        pytest.param(
            [httpx.Response(200, json={"data": [{"id": "m"}]}), httpx.Response(404), httpx.Response(200, json={"odd": 1})],
            id="no_completion",
        ),
    ],
)
async def test_probe_of_something_else_is_unavailable(replies: list[httpx.Response]) -> None:
    with pytest.raises(ModelUnavailableError):
        await probe(transport(*replies), OPTIONS)


async def test_server_that_refuses_schemas_is_usable_without() -> None:
    said = httpx.Response(200, json={"choices": [{"message": {"content": "one "}}]})
    facts = await probe(
        transport(httpx.Response(200, json={"data": [{"id": "m", "max_model_len": 4000}]}), httpx.Response(404), httpx.Response(400), said),
        OPTIONS,
    )
    assert facts == ServerFacts(model="m", context_tokens=4000, enforces_schema=False, honours_stop=True)


@pytest.mark.parametrize("url", ["http://10.0.0.1/v1", "http://127.0.0.1:502/", "https://127.0.0.1:9/v1", "http://169.254.169.254/latest"])
async def test_t70_other_hosts_are_not_reached(url: str) -> None:
    async with async_http(OPTIONS) as client:
        with pytest.raises(httpx.ConnectError, match="not the configured model server"):
            await client.get(url)
    with http(OPTIONS) as blocking, pytest.raises(httpx.ConnectError, match="not the configured model server"):
        blocking.get(url)


async def test_t71_long_answers_are_cut_off() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        try:
            while True:
                writer.write(b"x" * 100_000)
                await writer.drain()
        except ConnectionError:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    options = ServerOptions(api_base=f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")
    async with server:
        async with async_http(options) as client:
            with pytest.raises(httpx.ReadError, match=str(MAX_BYTES)):
                await client.get(options.api_base)
        with http(options) as blocking, pytest.raises(httpx.ReadError, match=str(MAX_BYTES)):
            await asyncio.to_thread(blocking.get, options.api_base)


async def test_failed_server_is_probed_again_after_its_rest() -> None:
    fake = FakeModelServer()
    async with fake.running():
        clock = ManualClock(NOON)
        server = ModelServer(ServerOptions(api_base=fake.api_base), clock)
        first = await server.ready()
        assert first is not None
        assert await server.ready() is first, "probed once"
        server.failed("gone")
        assert await server.ready() is None
        await clock.advance(REST_S)
        assert (await server.ready()) is not None
        assert server.trouble == ""
        await server.close()


async def test_thinking_is_turned_off_for_qwen3() -> None:
    fake = FakeModelServer()
    async with fake.running():
        server = ModelServer(ServerOptions(api_base=fake.api_base, model="Qwen3-4B"), ManualClock(NOON))
        model = await server.ready()
        assert model is not None
        kwargs = vars(model.llm)["additional_kwargs"]
        await server.close()
    assert kwargs["extra_body"] == {"chat_template_kwargs": {"enable_thinking": False}}


async def test_embedding_server_gives_its_model_and_no_retries() -> None:
    fake = FakeModelServer()
    async with fake.running():
        made = await asyncio.to_thread(embedding, ServerOptions(api_base=fake.api_base))
    assert made.model_name == "little"
    assert vars(made)["max_retries"] == 0


@pytest.mark.parametrize(
    "reply", [httpx.Response(200, json={"data": []}), httpx.Response(500), httpx.Response(200, text="no")], ids=["none", "500", "text"]
)
def test_first_model_needs_one(reply: httpx.Response) -> None:
    with pytest.raises(ModelUnavailableError):
        first_model(httpx.Client(transport=httpx.MockTransport(lambda _: reply)), OPTIONS)


def test_missing_key_is_never_looked_up_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-the-environment")
    assert OPTIONS.key == "none"


async def test_script_that_ends_is_loud() -> None:
    llm = ScriptedLLM([])
    with pytest.raises(ScriptExhaustedError):
        await llm.astream_chat([])


def test_hash_embedding_finds_likeness() -> None:
    model = HashEmbedding()

    def likeness(one: str, other: str) -> float:
        return sum(a * b for a, b in zip(model.get_text_embedding(one), model.get_query_embedding(other), strict=True))

    assert likeness("motor temperature", "temperature of the motor") > likeness("motor temperature", "余氯控制范围")
    assert likeness("x y", "x y") == pytest.approx(1.0)


def test_no_network_stops_a_test_that_reaches_out() -> None:
    with no_network(), socket.socket() as out, pytest.raises(AssertionError, match="wants to reach"):
        out.connect(("192.0.2.1", 80))
