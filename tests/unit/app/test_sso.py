"""Signing in by an identity provider: what is believed, and what is not (THREATS C)."""

import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from argon2 import PasswordHasher
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from gateway.api.accounts import SignedIn
from gateway.api.problems import ProblemError
from gateway.app import Gateway
from gateway.app.oidc import Provider
from gateway.app.sso import TRY_S, SignOn
from gateway.app.web import sign_on
from gateway.clock import ManualClock
from gateway.errors import ConfigError
from gateway.model.point import Role
from gateway.settings import OidcSettings
from gateway.store.audit import Audit
from gateway.store.base import AuditFiles
from gateway.store.engine import Store
from gateway.store.identities import Identities
from gateway.store.sessions import Sessions
from gateway.store.users import Users
from tests.fake_provider import CLIENT, ISSUER, NOW, SECRET, Document, FakeProvider

GROUPS = {"plant-viewers": Role.VIEWER, "plant-operators": Role.OPERATOR, "plant-admins": Role.ADMIN}
PASSWORD = "correct horse"


@dataclass
class Rig:
    """A provider, our side of it, and the accounts behind."""

    idp: FakeProvider
    clock: ManualClock
    sign_on: SignOn
    users: Users
    sessions: Sessions
    audit: Audit
    forgotten: list[str] = field(default_factory=list)

    async def sign_in(self, user: str = "anna", *, again: bool = False) -> SignedIn:
        """The whole way there and back in one browser."""
        address, browser = await self.sign_on.begin("10.0.0.1", again=again)
        code = self.idp.sign_in(address, user)
        return await self.sign_on.finish(self.idp.asked[-1]["state"], code, browser, "10.0.0.1")

    async def refused(self, user: str = "anna") -> str:
        """The code with which a sign-in is refused."""
        with pytest.raises(ProblemError) as caught:
            await self.sign_in(user)
        return caught.value.problem_code


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    clock = ManualClock(datetime.fromtimestamp(NOW, UTC))
    await clock.advance(1000)
    clock.jump(-1000)
    idp = FakeProvider()
    settings = OidcSettings(issuer=ISSUER, client_id=CLIENT, secret_file=None, page="https://busmate.plant.test", groups=GROUPS)
    forgotten: list[str] = []

    async def forget(user: str) -> None:
        forgotten.append(user)

    async with await Store.open(f"sqlite:///{tmp_path}/a.db") as store:
        audit = await Audit.open(store, AuditFiles(key=tmp_path / "audit.key", anchor=tmp_path / "audit.anchor"), clock)
        sessions = Sessions(store, clock)
        provider = Provider(settings, SECRET, clock, idp.transport())
        yield Rig(
            idp=idp,
            clock=clock,
            sign_on=SignOn(settings, provider, Identities(audit, clock), sessions, forget, clock),
            users=Users(store, audit, clock, hasher=PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)),
            sessions=sessions,
            audit=audit,
            forgotten=forgotten,
        )


async def test_person_of_a_group_is_signed_in_with_its_role(rig: Rig) -> None:
    rig.idp.groups["anna"] = ["something", "plant-viewers", "plant-operators"]
    who = await rig.sign_in()
    assert (who.user, who.role) == ("anna", Role.OPERATOR)
    assert await rig.sessions.get(who.id) is not None
    assert rig.idp.asked[-1]["redirect_uri"] == "https://busmate.plant.test/api/v1/oidc/callback"
    assert [record.kind async for record in rig.audit.walk()] == ["user_added", "sign_in"]


async def test_no_password_opens_an_account_of_the_provider(rig: Rig) -> None:
    await rig.sign_in()
    for password in ("", "anything", f"oidc {ISSUER} id-anna"):
        assert (await rig.users.sign_in("anna", password, "10.0.0.1")).user is None


async def test_provider_opens_no_account_with_a_password_T43(rig: Rig) -> None:
    await rig.users.add("anna", PASSWORD, Role.ADMIN, by="test")
    assert await rig.refused() == "SSO_ACCOUNT"
    assert (await rig.users.sign_in("anna", PASSWORD, "")).user is not None


async def test_name_of_somebody_else_at_the_provider_opens_nothing(rig: Rig) -> None:
    await rig.sign_in()
    rig.idp.claims = lambda claims: {**claims, "sub": "id-of-another-anna"}
    assert await rig.refused() == "SSO_ACCOUNT"


async def test_disabled_account_stays_shut(rig: Rig) -> None:
    who = await rig.sign_in()
    await rig.users.set_disabled("anna", is_disabled=True, by="test")
    assert await rig.sessions.get(who.id) is None
    assert await rig.refused() == "SSO_ACCOUNT"


async def test_another_role_ends_sessions_and_cards_T44(rig: Rig) -> None:
    before = await rig.sign_in()
    rig.idp.groups["anna"] = ["plant-viewers"]
    after = await rig.sign_in()
    assert (after.role, await rig.users.role_of("anna"), rig.forgotten) == (Role.VIEWER, Role.VIEWER, ["anna"])
    assert await rig.sessions.alive([before.id, after.id]) == {after.id}
    rig.idp.groups["anna"] = []
    assert await rig.refused() == "SSO_ROLE"


async def test_password_of_this_morning_is_not_fresh_and_asking_again_is_T43(rig: Rig) -> None:
    assert (await rig.sign_in()).is_fresh
    rig.idp.auth_time = NOW - 3600
    assert not (await rig.sign_in()).is_fresh
    rig.idp.auth_time = None
    who = await rig.sign_in()
    assert not who.is_fresh
    kept = await rig.sessions.get(who.id)
    assert kept is not None
    assert not kept.is_fresh
    rig.idp.auth_time = NOW
    assert (await rig.sign_in(again=True)).is_fresh
    assert (rig.idp.asked[-1]["prompt"], rig.idp.asked[-1]["max_age"]) == ("login", "0")


async def test_answer_for_another_browser_or_state_or_too_late_is_refused_T40(rig: Rig) -> None:
    address, browser = await rig.sign_on.begin("10.0.0.1", again=False)
    code, state = rig.idp.sign_in(address, "anna"), rig.idp.asked[-1]["state"]
    for wrong_state, wrong_browser in (("guess", browser), (state, "another")):
        with pytest.raises(ProblemError) as caught:
            await rig.sign_on.finish(wrong_state, code, wrong_browser, "")
        assert caught.value.problem_code == "SSO_STATE"
    with pytest.raises(ProblemError):
        await rig.sign_on.finish(state, code, browser, "")
    address, browser = await rig.sign_on.begin("10.0.0.1", again=False)
    code, state = rig.idp.sign_in(address, "anna"), rig.idp.asked[-1]["state"]
    await rig.clock.advance(TRY_S)
    with pytest.raises(ProblemError):
        await rig.sign_on.finish(state, code, browser, "")


async def test_code_of_another_try_is_refused_by_its_verifier(rig: Rig) -> None:
    stolen = rig.idp.sign_in((await rig.sign_on.begin("10.0.0.1", again=False))[0], "anna")
    _, browser = await rig.sign_on.begin("10.0.0.1", again=False)
    address, browser = await rig.sign_on.begin("10.0.0.1", again=False)
    rig.idp.sign_in(address, "anna")
    with pytest.raises(ProblemError) as caught:
        await rig.sign_on.finish(rig.idp.asked[-1]["state"], stolen, browser, "")
    assert caught.value.problem_code == "SSO_PROVIDER"


def unsigned(_: FakeProvider, claims: Document) -> str:
    signed = jwt.encode({"alg": "HS256"}, claims, OctKey.import_key("k" * 32))
    return f"{signed.rpartition('.')[0]}."


CLAIMS: dict[str, Callable[[Document], Document]] = {
    "other-issuer": lambda claims: {**claims, "iss": "https://evil.example"},
    "other-audience": lambda claims: {**claims, "aud": "another-client"},
    "several-audiences": lambda claims: {**claims, "aud": [CLIENT, "another-client"]},
    "other-party": lambda claims: {**claims, "azp": "another-client"},
    "expired": lambda claims: {**claims, "exp": NOW - 120},
    "not-yet": lambda claims: {**claims, "nbf": NOW + 600},
    "other-nonce": lambda claims: {**claims, "nonce": "replayed"},
    "no-nonce": lambda claims: {key: value for key, value in claims.items() if key != "nonce"},
    "no-expiry": lambda claims: {key: value for key, value in claims.items() if key != "exp"},
    "no-subject": lambda claims: {key: value for key, value in claims.items() if key != "sub"},
    "no-name": lambda claims: {key: value for key, value in claims.items() if key != "preferred_username"},
    "name-is-a-list": lambda claims: {**claims, "preferred_username": ["anna"]},
    "groups-are-text": lambda claims: {**claims, "groups": "plant-admins"},
    "wrong-token-hash": lambda claims: {**claims, "at_hash": "AAAA"},
}


@pytest.mark.parametrize("claims", CLAIMS.values(), ids=CLAIMS)
async def test_token_with_wrong_claims_is_not_believed(rig: Rig, claims: Callable[[Document], Document]) -> None:
    rig.idp.claims = claims
    assert await rig.refused() == "SSO_PROVIDER"
    assert await rig.users.all() == []


SIGNATURES: dict[str, Callable[[FakeProvider, Document], str]] = {
    "other-key": lambda _, claims: jwt.encode({"alg": "RS256", "kid": "k1"}, claims, RSAKey.generate_key(2048)),
    "unknown-key": lambda idp, claims: jwt.encode({"alg": "RS256", "kid": "k9"}, claims, idp.key),
    "secret-we-hold-too": lambda _, claims: jwt.encode({"alg": "HS256", "kid": "k1"}, claims, OctKey.import_key(SECRET)),
    "unsigned": unsigned,
    "none": lambda _, claims: ".".join(
        ["eyJhbGciOiJub25lIn0", jwt.encode({"alg": "HS256"}, claims, OctKey.import_key("k" * 32)).split(".")[1], ""]
    ),
    "nothing": lambda *_: "",
    "garbage": lambda *_: "a.b.c",
}


@pytest.mark.parametrize("sign", SIGNATURES.values(), ids=SIGNATURES)
async def test_token_with_a_wrong_signature_is_not_believed(rig: Rig, sign: Callable[[FakeProvider, Document], str]) -> None:
    rig.idp.sign = sign
    assert await rig.refused() == "SSO_PROVIDER"
    assert await rig.users.all() == []


PUBLISHED: dict[str, Callable[[Document], Document]] = {
    "other-issuer": lambda document: {**document, "issuer": "https://evil.example"},
    "plain-http": lambda document: {**document, "token_endpoint": "http://idp.plant.test/token"},
    "file": lambda document: {**document, "jwks_uri": "file:///etc/passwd"},
    "no-token-endpoint": lambda document: {key: value for key, value in document.items() if key != "token_endpoint"},
}


@pytest.mark.parametrize("published", PUBLISHED.values(), ids=PUBLISHED)
async def test_provider_that_publishes_what_it_may_not_is_not_believed(rig: Rig, published: Callable[[Document], Document]) -> None:
    rig.idp.published = published
    assert await rig.refused() == "SSO_PROVIDER"


async def test_refusals_stand_in_the_audit(rig: Rig) -> None:
    rig.idp.groups["anna"] = []
    assert await rig.refused() == "SSO_ROLE"
    rig.idp.sign = lambda *_: "garbage"
    assert await rig.refused() == "SSO_PROVIDER"
    records = [(record.kind, record.subject, record.body["address"]) async for record in rig.audit.walk()]
    assert records == [("sign_in_failed", "anna", "10.0.0.1"), ("sign_in_failed", ISSUER, "10.0.0.1")]


async def test_tries_of_an_address_and_of_all_are_bounded_T49(rig: Rig) -> None:
    address, browser = await rig.sign_on.begin("10.0.0.1", again=False)
    code, state = rig.idp.sign_in(address, "anna"), rig.idp.asked[-1]["state"]
    for _ in range(49):
        await rig.sign_on.begin("10.0.0.66", again=False)
    await rig.sign_on.begin("10.0.0.66", again=False)
    with pytest.raises(ProblemError) as caught:
        await rig.sign_on.begin("10.0.0.66", again=False)
    assert caught.value.status == 429
    assert (await rig.sign_on.finish(state, code, browser, "10.0.0.1")).user == "anna"
    address, browser = await rig.sign_on.begin("10.0.0.1", again=False)
    code, state = rig.idp.sign_in(address, "anna"), rig.idp.asked[-1]["state"]
    for number in range(1000):
        await rig.sign_on.begin(f"10.1.{number}", again=False)
    with pytest.raises(ProblemError) as caught:
        await rig.sign_on.finish(state, code, browser, "10.0.0.1")
    assert caught.value.problem_code == "SSO_STATE"


def configured(secret_file: Path | None) -> Gateway:
    """What of a gateway the wiring asks for."""
    oidc = OidcSettings(issuer=ISSUER, client_id=CLIENT, secret_file=secret_file, page="https://busmate.plant.test", groups=GROUPS)
    confirm = SimpleNamespace(forget_user=None)
    return cast("Gateway", SimpleNamespace(settings=SimpleNamespace(oidc=oidc), clock=None, audit=None, sessions=None, confirm=confirm))


def test_missing_library_or_secret_stops_the_start_with_the_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text(f"{SECRET}\n")
    ready = sign_on(configured(tmp_path / "secret"))
    assert ready is not None
    assert ready.name == "idp.plant.test"
    with pytest.raises(ConfigError, match="nowhere cannot be read"):
        sign_on(configured(tmp_path / "nowhere"))
    monkeypatch.setitem(sys.modules, "gateway.app.oidc", None)
    with pytest.raises(ConfigError, match=r"busmate\[oidc\]"):
        sign_on(configured(None))
