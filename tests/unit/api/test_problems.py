"""Errors as problem documents."""

import httpx
from fastapi import FastAPI

from gateway.api import problems


async def test_fault_of_the_program_is_a_problem_document_without_its_words() -> None:
    app = FastAPI()
    problems.install(app)

    @app.get("/fault")
    async def fault() -> None:
        raise RuntimeError("secret detail")

    transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://plant.test") as client:
        answer = await client.get("/fault")
    assert (answer.status_code, answer.headers["content-type"], answer.json()["code"]) == (500, "application/problem+json", "BROKEN")
    assert "secret" not in answer.text
