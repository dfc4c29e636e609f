"""Accounts, tokens of programs, the password once more and streams over HTTP (THREATS C)."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import httpx
import pytest
from sqlalchemy import text

from gateway.api.app import make_app
from gateway.api.shield import Shield
from gateway.app.oidc import Provider
from gateway.app.session_watch import SessionWatch
from gateway.app.sso import SignOn
from gateway.app.web import context_of
from gateway.model.point import Role
from gateway.settings import OidcSettings
from gateway.store.base import Scope
from gateway.store.identities import Identities
from tests.fake_provider import CLIENT, ISSUER, SECRET, FakeProvider
from tests.running_plant import PASSWORD, RunningPlant

API = "/api/v1"
NEW = "another-password"

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def fresh(plant: RunningPlant, user: str) -> httpx.AsyncClient:
    """A new session, whatever became of the last."""
    plant.sessions.pop(user, None)
    return await plant.signed_in(user)


async def make_long_ago(plant: RunningPlant) -> None:
    """All passwords were given long ago."""
    await plant.gateway.store.write(lambda connection: connection.execute(text("update sessions set proved_mono = -1e9")))


async def program(plant: RunningPlant, name: str, scope: Scope, role: Role) -> httpx.AsyncClient:
    """A program with a token of its own."""
    secret, _ = await plant.gateway.tokens.make(name, scope, role, 1, by="test")
    client = plant.client()
    client.headers["authorization"] = f"Bearer {secret}"
    return client


async def add(plant: RunningPlant, name: str, role: Role) -> httpx.AsyncClient:
    """A new account, signed in."""
    await plant.gateway.users.add(name, PASSWORD, role, by="test")
    return await plant.signed_in(name)


async def propose(client: httpx.AsyncClient, tag: str, value: object) -> httpx.Response:
    return await client.post(f"{API}/proposals", json={"writes": [{"tag": tag, "value": value}], "reason": "test"})


async def trail(plant: RunningPlant, *kinds: str) -> Sequence[tuple[str, object]]:
    """(subject, body) of the records of these kinds, newest first."""
    return [(record.subject, record.body) for record in await plant.gateway.audit.entries(kinds)]


async def test_admin_makes_a_token_that_reads_and_revokes_it(plant: RunningPlant) -> None:
    admin = await fresh(plant, "admin")
    made = await admin.post(f"{API}/tokens", json={"name": "ci", "scope": "read", "role": "engineer", "days": 30})
    assert made.status_code == 201
    secret = made.json()["token"]
    client = plant.client()
    answer = await client.get(f"{API}/points/lt1.level", headers={"authorization": f"Bearer {secret}"})
    assert (answer.status_code, answer.json()["sample"]["value"]) == (200, 63)
    assert "set-cookie" not in answer.headers
    listed = (await admin.get(f"{API}/tokens")).text
    assert '"ci"' in listed
    assert secret not in listed
    assert (await trail(plant, "token_used"))[0][0] == "ci"
    assert (await admin.delete(f"{API}/tokens/ci")).status_code == 204
    over = await client.get(f"{API}/points/lt1.level", headers={"authorization": f"Bearer {secret}"})
    assert (over.status_code, over.json()["code"]) == (401, "TOKEN")
    assert (await admin.delete(f"{API}/tokens/ci")).json()["code"] == "ACCOUNT"


@pytest.mark.parametrize(
    "change",
    [{"days": 366}, {"days": 0}, {"role": "admin"}, {"scope": "confirm"}, {"days": None}, {"days": "30"}, {"days": True}, {"name": "Ä b"}],
)
async def test_no_token_for_ever_for_admins_or_to_confirm(plant: RunningPlant, change: dict[str, object]) -> None:
    admin = await fresh(plant, "admin")
    body = {"name": "forever", "scope": "propose", "role": "operator", "days": 30, **change}
    assert (await admin.post(f"{API}/tokens", json={key: value for key, value in body.items() if value is not None})).status_code == 422


@pytest.mark.parametrize("header", ["Bearer nonsense", "Bearer", "Basic YWRtaW46eA==", "bmt_x", ""])
async def test_header_that_is_no_token_is_refused_even_beside_a_session(plant: RunningPlant, header: str) -> None:
    client = await plant.signed_in("operator")
    answer = await client.get(f"{API}/points", headers={"authorization": header})
    assert (answer.status_code, answer.json()["code"]) == (401, "TOKEN")


async def test_token_in_a_query_or_cookie_is_none_T50(plant: RunningPlant) -> None:
    secret, _ = await plant.gateway.tokens.make("query", Scope.READ, Role.VIEWER, 1, by="test")
    for name in ("token", "access_token", "api_key"):
        assert (await plant.client().get(f"{API}/points", params={name: secret})).status_code == 401
    client = plant.client()
    client.cookies.set("busmate_session", secret, domain="plant.test")
    assert (await client.get(f"{API}/points")).status_code == 401


async def test_token_of_a_viewer_or_of_scope_read_proposes_nothing_T50(plant: RunningPlant) -> None:
    viewer = await program(plant, "viewer-tries", Scope.PROPOSE, Role.VIEWER)
    reader = await program(plant, "reader-tries", Scope.READ, Role.OPERATOR)
    assert (await propose(viewer, "vfd1.speed_sp", 47)).json()["code"] == "ROLE"
    assert (await propose(reader, "vfd1.speed_sp", 47)).json()["code"] == "SCOPE"


async def test_token_proposes_and_a_person_confirms_T50(plant: RunningPlant) -> None:
    client = await program(plant, "lab", Scope.PROPOSE, Role.OPERATOR)
    card = (await propose(client, "vfd1.speed_sp", 46)).json()
    assert (card["proposer"], card["via"], card["nonce"]) == ("api:lab", "api", None)
    person = await fresh(plant, "operator")
    nonce = (await person.get(f"{API}/proposals/{card['id']}")).json()["nonce"]
    for act in ("confirm", "reject"):
        tried = await client.post(f"{API}/proposals/{card['id']}/{act}", json={"nonce": nonce} if act == "confirm" else {})
        assert (tried.status_code, tried.json()["code"]) == (403, "SCOPE")
    done = await person.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": nonce})
    assert done.json()["outcome"] == "verified"
    first = (await trail(plant, "outcome"))[0][1]
    assert isinstance(first, dict)
    assert (first["user"], list(first["confirmed_by"])) == ("api:lab", ["operator"])


async def test_cards_of_a_revoked_token_die_T44(plant: RunningPlant) -> None:
    client = await program(plant, "short", Scope.PROPOSE, Role.OPERATOR)
    card = (await propose(client, "tc1.sp", 34)).json()
    assert (await (await fresh(plant, "admin")).delete(f"{API}/tokens/short")).status_code == 204
    left = (await (await fresh(plant, "operator")).get(f"{API}/proposals/{card['id']}")).json()
    assert left["state"] == "EXPIRED"


def changes(plant: RunningPlant) -> list[tuple[str, str]]:
    """Every (method, path) of the application that may change something."""
    paths = make_app(context_of(plant.gateway, plant.hub, is_secure=False)).openapi()["paths"]
    return [(method.upper(), path) for path, methods in paths.items() for method in methods if method != "get"]


async def test_token_may_send_no_change_but_what_is_named_T50(plant: RunningPlant) -> None:
    client = await program(plant, "everything", Scope.PROPOSE, Role.ENGINEER)
    signing_in = {f"{API}/login", f"{API}/first-admin"}
    allowed = {f"{API}/proposals", f"{API}/maps/check"}
    tried = [(method, path) for method, path in changes(plant) if path not in signing_in | allowed]
    assert len(tried) > 15
    for method, path in tried:
        answer = await client.request(method, path.replace("{", "").replace("}", ""), json={})
        assert answer.status_code == 403, (method, path, answer.text)
        assert answer.json()["code"] in ("SCOPE", "PERSON"), (method, path, answer.text)


@pytest.mark.parametrize("path", ["/users", "/tokens", "/me"])
async def test_token_is_told_nothing_of_people(plant: RunningPlant, path: str) -> None:
    client = await program(plant, f"curious-{path.strip('/')}", Scope.PROPOSE, Role.ENGINEER)
    assert (await client.get(f"{API}{path}")).json()["code"] == "PERSON"


@pytest.mark.parametrize("user", ["viewer", "operator", "engineer"])
async def test_accounts_are_for_admins(plant: RunningPlant, user: str) -> None:
    client = await fresh(plant, user)
    answers = [
        await client.get(f"{API}/users"),
        await client.get(f"{API}/tokens"),
        await client.post(f"{API}/users", json={"user": "x", "password": NEW, "role": "admin"}),
        await client.patch(f"{API}/users/{user}", json={"role": "admin"}),
        await client.post(f"{API}/tokens", json={"name": "x", "scope": "read", "role": "viewer", "days": 1}),
        await client.delete(f"{API}/tokens/x"),
    ]
    assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(403, "ROLE")}


async def test_admin_adds_changes_and_shuts_accounts(plant: RunningPlant) -> None:
    admin = await fresh(plant, "admin")
    assert (await admin.post(f"{API}/users", json={"user": "王工", "password": NEW, "role": "operator"})).status_code == 204
    assert (await admin.patch(f"{API}/users/王工", json={"role": "engineer"})).status_code == 204
    assert (await admin.patch(f"{API}/users/王工", json={"password": NEW})).status_code == 204
    assert (await admin.patch(f"{API}/users/王工", json={"disabled": True})).status_code == 204
    found = {one["user"]: one for one in (await admin.get(f"{API}/users")).json()}
    assert (found["王工"]["role"], found["王工"]["disabled"]) == ("engineer", True)
    kinds = [record.kind for record in await plant.gateway.audit.entries((), "王工")]
    assert kinds == ["user_disabled", "user_password", "user_role", "user_added"]
    assert (await admin.patch(f"{API}/users/nobody", json={"role": "viewer"})).json()["code"] == "ACCOUNT"
    assert (await admin.patch(f"{API}/users/王工", json={"role": "viewer", "disabled": False})).json()["code"] == "INVALID"
    assert (await admin.patch(f"{API}/users/王工", json={"disabled": "no"})).json()["code"] == "INVALID"


async def test_nobody_changes_their_own_role_or_shuts_themselves_out(plant: RunningPlant) -> None:
    admin = await fresh(plant, "admin")
    for change in ({"role": "viewer"}, {"disabled": True}):
        assert (await admin.patch(f"{API}/users/admin", json=change)).json()["code"] == "NOT_ALLOWED"
    assert (await admin.get(f"{API}/users")).status_code == 200


async def test_accounts_and_two_person_writes_need_the_password_again_T43(plant: RunningPlant) -> None:
    admin, engineer = await fresh(plant, "admin"), await fresh(plant, "engineer")
    card = (await propose(engineer, "em1.reset_energy", "reset")).json()
    confirm = f"{API}/proposals/{card['id']}/confirm"
    await make_long_ago(plant)
    for answer in (
        await admin.patch(f"{API}/users/viewer", json={"role": "operator"}),
        await admin.post(f"{API}/users", json={"user": "x", "password": NEW, "role": "admin"}),
        await admin.post(f"{API}/tokens", json={"name": "x", "scope": "read", "role": "viewer", "days": 1}),
        await admin.delete(f"{API}/tokens/x"),
        await engineer.post(f"{API}/me/password", json={"password": NEW}),
        await engineer.post(confirm, json={"nonce": card["nonce"]}),
        await engineer.post(f"{API}/maps/changes/x/confirm", json={}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "PASSWORD_AGAIN"), answer.text
        assert answer.json()["words"]["zh"] != answer.json()["words"]["en"]
    wrong = await engineer.post(f"{API}/me/proof", json={"password": "wrong"})
    assert (wrong.status_code, wrong.json()["code"]) == (403, "WRONG_PASSWORD")
    assert (await engineer.post(confirm, json={"nonce": card["nonce"]})).json()["code"] == "PASSWORD_AGAIN"
    assert (await engineer.post(f"{API}/me/proof", json={"password": PASSWORD})).status_code == 204
    assert (await engineer.post(confirm, json={"nonce": card["nonce"]})).json()["state"] == "PENDING"
    assert (await trail(plant, "password_again"))[0][0] == "engineer"


async def test_one_person_write_needs_no_password_again(plant: RunningPlant) -> None:
    operator = await fresh(plant, "operator")
    card = (await propose(operator, "plc1.auto_manual", "manual")).json()
    await make_long_ago(plant)
    assert (await operator.post(f"{API}/proposals/{card['id']}/confirm", json={"nonce": card["nonce"]})).json()["outcome"] == "verified"


async def test_guessing_at_the_password_again_locks_like_signing_in_T42(plant: RunningPlant) -> None:
    client = await add(plant, "guessed", Role.OPERATOR)
    answers = [await client.post(f"{API}/me/proof", json={"password": "wrong"}) for _ in range(6)]
    assert [answer.json()["code"] for answer in answers] == ["WRONG_PASSWORD"] * 5 + ["SIGN_IN_LOCKED"]


async def test_own_password_is_changed_and_all_sessions_end(plant: RunningPlant) -> None:
    client = await add(plant, "changer", Role.VIEWER)
    assert (await client.post(f"{API}/me/password", json={"password": "short"})).json()["code"] == "ACCOUNT"
    assert (await client.post(f"{API}/me/password", json={"password": NEW})).status_code == 204
    assert (await client.get(f"{API}/me")).status_code == 401
    assert (await plant.client().post(f"{API}/login", json={"user": "changer", "password": NEW})).status_code == 200


async def test_login_ends_the_session_the_browser_had_T43(plant: RunningPlant) -> None:
    client = await add(plant, "twice", Role.VIEWER)
    before = client.cookies["busmate_session"]
    assert (await client.post(f"{API}/login", json={"user": "twice", "password": PASSWORD})).status_code == 200
    old = plant.client()
    old.cookies.set("busmate_session", before, domain="plant.test")
    assert (await old.get(f"{API}/me")).status_code == 401


async def test_role_change_ends_sessions_and_open_cards_T44(plant: RunningPlant) -> None:
    client = await add(plant, "demoted", Role.OPERATOR)
    card = (await propose(client, "tc1.sp", 33)).json()
    assert (await (await fresh(plant, "admin")).patch(f"{API}/users/demoted", json={"role": "viewer"})).status_code == 204
    assert (await client.get(f"{API}/me")).status_code == 401
    again = await fresh(plant, "demoted")
    assert (await again.get(f"{API}/me")).json()["role"] == "viewer"
    assert (await again.get(f"{API}/proposals/{card['id']}")).json()["state"] == "EXPIRED"


async def _last_event(stream: AsyncIterator[str]) -> str:
    """All that a stream still says, to its end."""
    return "".join([event async for event in stream])


ENDS = ["logout", "disable", "role", "password", "shift-over", "deleted-elsewhere"]


@pytest.mark.parametrize("end", ENDS)
async def test_event_stream_ends_with_its_session_T43(plant: RunningPlant, end: str) -> None:
    name = f"watcher-{end}"
    client = await add(plant, name, Role.OPERATOR)
    other = await fresh(plant, "viewer")
    key, key_of_other = client.cookies["busmate_session"], other.cookies["busmate_session"]
    stream, stays = plant.hub.stream(key), plant.hub.stream(key_of_other)
    assert [await anext(stream), await anext(stays)] == [": open\n\n"] * 2
    watch = SessionWatch(plant.hub, context_of(plant.gateway, plant.hub, is_secure=False).accounts.alive)
    await watch.look()
    assert {key, key_of_other} <= plant.hub.keys
    match end:
        case "logout":
            await client.post(f"{API}/logout", json={})
            assert key not in plant.hub.keys, "signing out needs no watch"
        case "disable":
            await plant.gateway.users.set_disabled(name, is_disabled=True, by="test")
        case "role":
            await plant.gateway.users.set_role(name, Role.VIEWER, by="test")
        case "password":
            await plant.gateway.users.set_password(name, NEW, by="test")
        case "shift-over":
            long_ago = text("update sessions set started_mono = started_mono - 43200 where user = :user")
            await plant.gateway.store.write(lambda connection: connection.execute(long_ago, {"user": name}))
        case _:
            gone = text("delete from sessions where user = :user")
            await plant.gateway.store.write(lambda connection: connection.execute(gone, {"user": name}))
    await watch.look()
    assert await _last_event(stream) == "event: signed_out\ndata: {}\n\n"
    assert plant.hub.keys & {key, key_of_other} == {key_of_other}
    plant.hub.end([key_of_other])


async def test_event_stream_ends_with_its_token(plant: RunningPlant) -> None:
    client = await program(plant, "streams", Scope.READ, Role.VIEWER)
    assert (await client.get(f"{API}/points/lt1.level")).status_code == 200
    stream = plant.hub.stream("api:streams")
    await anext(stream)
    await plant.gateway.tokens.revoke("streams", by="test")
    await SessionWatch(plant.hub, context_of(plant.gateway, plant.hub, is_secure=False).accounts.alive).look()
    assert "signed_out" in await _last_event(stream)


async def test_non_ascii_csrf_token_is_refused_not_an_error(plant: RunningPlant) -> None:
    client = await plant.signed_in("operator")
    answer = await client.post(f"{API}/logout", headers=[(b"x-csrf-token", b"\xe9")], json={})
    assert (answer.status_code, answer.json()["code"]) == (403, "CSRF")


async def test_first_admin_over_http_T45(plant: RunningPlant) -> None:
    assert (await plant.client().get(f"{API}/first-admin")).json() == {"wanted": False, "provider": None}
    body = {"code": "guess", "user": "anna", "password": NEW}
    answer = await plant.client().post(f"{API}/first-admin", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "ACCOUNT")
    assert "anna" not in {one.name for one in await plant.gateway.users.all()}


async def test_identity_provider_signs_in_there_and_back_T43(plant: RunningPlant) -> None:
    gateway, idp = plant.gateway, FakeProvider(groups={"ida": ["plant-operators"], "nobody": []})
    settings = OidcSettings(
        issuer=ISSUER, client_id=CLIENT, secret_file=None, page="http://plant.test", groups={"plant-operators": Role.OPERATOR}
    )
    idp.claims = lambda claims: {**claims, "iat": int(gateway.clock.utc().timestamp()), "exp": int(gateway.clock.utc().timestamp()) + 60}
    provider = Provider(settings, SECRET, gateway.clock, idp.transport())
    sign_on = SignOn(
        settings, provider, Identities(gateway.audit, gateway.clock), gateway.sessions, gateway.confirm.forget_user, gateway.clock
    )
    app = Shield(make_app(replace(context_of(gateway, plant.hub, is_secure=False), sso=sign_on)), ["plant.test"])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://plant.test") as client:
        assert (await client.get(f"{API}/first-admin")).json()["provider"] == "idp.plant.test"
        for user, place in (("nobody", "/#sso=SSO_ROLE"), ("ida", "/")):
            there = await client.get(f"{API}/oidc/login")
            flags = there.headers["set-cookie"].lower()
            assert ("httponly" in flags, "samesite=lax" in flags, "path=/api/v1/oidc" in flags) == (True, True, True)
            code = idp.sign_in(there.headers["location"], user)
            back = await client.get(
                f"{API}/oidc/callback", params={"code": code, "state": idp.asked[-1]["state"]}, headers={"sec-fetch-site": "cross-site"}
            )
            assert (back.status_code, back.headers["location"]) == (303, place)
        assert "samesite=strict" in back.headers["set-cookie"].lower()
        assert (await client.get(f"{API}/me")).json()["user"] == "ida"
        again = await client.get(f"{API}/oidc/callback", params={"code": code, "state": idp.asked[-1]["state"]})
        assert again.headers["location"] == "/#sso=SSO_STATE"
    assert (await plant.client().get(f"{API}/oidc/login")).json()["code"] == "NO_PROVIDER"
