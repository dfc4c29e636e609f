"""An identity provider in this process: it checks what a provider must, and can be told to misbehave."""

import base64
import hashlib
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from joserfc import jwt
from joserfc.jwk import RSAKey

ISSUER = "https://idp.plant.test/realms/plant"
CLIENT, SECRET = "busmate", "a-secret of the client"
NOW = 1_773_122_400
"""2026-03-10T06:00:00Z."""

Document = dict[str, Any]


@cache
def provider_key() -> RSAKey:
    """One key for all providers: making one takes a second."""
    return RSAKey.generate_key(2048, {"kid": "k1"})


@dataclass
class FakeProvider:
    """Users by name with their groups. `claims`, `sign` and `published` may be replaced to misbehave."""

    groups: dict[str, list[str]] = field(default_factory=lambda: {"anna": ["plant-operators"]})
    auth_time: int | None = NOW
    key: RSAKey = field(default_factory=provider_key)
    claims: Callable[[Document], Document] = field(default=lambda claims: claims)
    published: Callable[[Document], Document] = field(default=lambda document: document)
    sign: Callable[["FakeProvider", Document], str] = field(
        default=lambda self, claims: jwt.encode({"alg": "RS256", "kid": "k1"}, claims, self.key)
    )
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[dict[str, str]] = field(default_factory=list)

    def transport(self) -> httpx.MockTransport:
        """What a client of ours is given for the network."""
        return httpx.MockTransport(self._answer)

    def sign_in(self, address: str, user: str) -> str:
        """A person signs in at the address that the browser was sent to; the code that the browser brings back."""
        asked = {key: values[0] for key, values in parse_qs(urlsplit(address).query).items()}
        assert address.startswith(f"{ISSUER}/auth?")
        assert (asked["response_type"], asked["client_id"], asked["code_challenge_method"]) == ("code", CLIENT, "S256")
        self.asked.append(asked)
        code = secrets.token_urlsafe(8)
        self.codes[code] = {**asked, "user": user}
        return code

    def _answer(self, request: httpx.Request) -> httpx.Response:
        match request.url.path.removeprefix("/realms/plant"):
            case "/.well-known/openid-configuration":
                places = {"authorization_endpoint": "auth", "token_endpoint": "token", "jwks_uri": "keys"}
                return httpx.Response(
                    200, json=self.published({"issuer": ISSUER, **{key: f"{ISSUER}/{place}" for key, place in places.items()}})
                )
            case "/keys":
                return httpx.Response(200, json={"keys": [self.key.as_dict(private=False)]})
            case "/token":
                return self._token(request)
        return httpx.Response(404)

    def _token(self, request: httpx.Request) -> httpx.Response:
        sent = {key: values[0] for key, values in parse_qs(request.content.decode()).items()}
        begun = self.codes.pop(sent["code"], None)
        digest = base64.urlsafe_b64encode(hashlib.sha256(sent["code_verifier"].encode()).digest()).rstrip(b"=").decode()
        expected = "Basic " + base64.b64encode(f"{CLIENT}:{SECRET.replace(' ', '%20')}".encode()).decode()
        if begun is None or digest != begun["code_challenge"] or sent["redirect_uri"] != begun["redirect_uri"]:
            return httpx.Response(400, json={"error": "invalid_grant"})
        if request.headers.get("authorization") != expected:
            return httpx.Response(401, json={"error": "invalid_client"})
        user = begun["user"]
        claims: Document = {"iss": ISSUER, "aud": CLIENT, "sub": f"id-{user}", "iat": NOW, "exp": NOW + 300, "nonce": begun["nonce"]}
        claims |= {"preferred_username": user, "groups": self.groups[user]}
        if self.auth_time is not None:
            claims["auth_time"] = self.auth_time
        return httpx.Response(200, json={"access_token": "x", "token_type": "Bearer", "id_token": self.sign(self, self.claims(claims))})
