"""What every request passes first."""

import httpx
import pytest
from starlette.responses import PlainTextResponse

from gateway.api.shield import MAX_BODY, Receive, Scope, Send, Shield


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    await PlainTextResponse(f"{scope['method']} {len(body)}")(scope, receive, send)


@pytest.fixture
async def client() -> httpx.AsyncClient:
    transport = httpx.ASGITransport(app=Shield(echo, ["plant.lan", "127.0.0.1"]))
    return httpx.AsyncClient(transport=transport, base_url="http://plant.lan:8765")


async def test_body_arrives_whole_and_headers_are_set(client: httpx.AsyncClient) -> None:
    answer = await client.post("/x", content=b"a" * 1000)
    assert answer.text == "POST 1000"
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "plant.lan:8765"}, 200),
        ({"host": "127.0.0.1:8765"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": ""}, 403),
        ({"origin": "http://plant.lan:8765"}, 200),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-origin"}, 200),
    ],
    ids=str,
)
async def test_foreign_hosts_and_origins_are_refused_T41(client: httpx.AsyncClient, headers: dict[str, str], status: int) -> None:
    assert (await client.post("/x", content=b"{}", headers=headers)).status_code == status


async def test_large_bodies_are_refused_told_or_not_T49(client: httpx.AsyncClient) -> None:
    assert (await client.post("/x", content=b"a" * (MAX_BODY + 1))).status_code == 413

    async def endless() -> object:
        for _ in range(30):
            yield b"a" * 50_000

    answer = await client.post("/x", content=endless())  # type: ignore[arg-type] # httpx takes async iterators
    assert answer.status_code == 413
    assert answer.json()["code"] == "TOO_LARGE"


async def test_deep_json_is_refused_T49(client: httpx.AsyncClient) -> None:
    assert (await client.post("/x", content=b"[" * 33 + b"]" * 33)).status_code == 422
    assert (await client.post("/x", content=b"[" * 32 + b"]" * 32)).status_code == 200
    assert (await client.post("/x", content=b"[{},{}]" * 100)).status_code == 200


@pytest.mark.parametrize("path", ["/x%00", "/x%00/y", "/x?q=a%00b"])
async def test_address_with_a_nul_is_refused_before_a_database_or_a_file_sees_it(client: httpx.AsyncClient, path: str) -> None:
    answer = await client.get(path)
    assert (answer.status_code, answer.json()["code"]) == (422, "INVALID")
    assert (await client.get("/x%20y?q=%3000")).status_code == 200
