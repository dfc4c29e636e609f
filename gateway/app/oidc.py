"""The plant's identity provider (OpenID Connect): code flow with PKCE, state and nonce, signatures of the published keys only."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import httpx
from authlib.common.errors import AuthlibBaseError
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from gateway.clock import Clock
from gateway.errors import GatewayError
from gateway.settings import OidcSettings

_ALGORITHMS = [f"{family}{bits}" for family in ("RS", "PS", "ES") for bits in (256, 384, 512)]
"""Signed with the provider's private key: neither unsigned nor with a secret that we hold, too."""
_LEEWAY_S = 60
_WAIT_S = 10.0
_LARGEST = 1_000_000
_MANY_GROUPS = 1000

Document = Mapping[str, Any]


class ProviderError(GatewayError):
    """The provider does not answer, or answers what cannot be believed."""

    code = "PROVIDER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vouched:
    """Whom the provider vouches for; `auth_time` is when that person last proved it, in seconds since 1970, if it says so."""

    subject: str
    name: str
    groups: frozenset[str]
    auth_time: float | None


class Provider:
    """One provider. What it publishes is read anew for each sign-in: there are few, and keys change."""

    def __init__(self, settings: OidcSettings, secret: str, clock: Clock, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._settings = settings
        self._secret = secret
        self._clock = clock
        self._transport = transport

    @property
    def callback(self) -> str:
        """Where the provider sends browsers back to."""
        return f"{self._settings.page}/api/v1/oidc/callback"

    async def address(self, *, state: str, nonce: str, verifier: str, again: bool) -> str:
        """Where the browser goes to sign in; `again` asks for the password even of who is signed in there. Raises ProviderError."""
        async with self._client() as client:
            found = await self._published(client)
        asked = {
            "response_type": "code",
            "client_id": self._settings.client_id,
            "redirect_uri": self.callback,
            "scope": "openid profile",
            "state": state,
            "nonce": nonce,
            "code_challenge": create_s256_code_challenge(verifier),
            "code_challenge_method": "S256",
            **({"prompt": "login", "max_age": "0"} if again else {}),
        }
        return f"{_address(found, 'authorization_endpoint')}?{urlencode(asked)}"

    async def vouched(self, code: str, *, nonce: str, verifier: str) -> Vouched:
        """Trade the code for the person. Raises ProviderError."""
        async with self._client() as client:
            found = await self._published(client)
            sent = {"grant_type": "authorization_code", "code": code, "redirect_uri": self.callback, "code_verifier": verifier}
            if self._secret:
                auth = httpx.BasicAuth(quote(self._settings.client_id, safe=""), quote(self._secret, safe=""))
                tokens = await _document(client, "POST", _address(found, "token_endpoint"), data=sent, auth=auth)
            else:
                sent["client_id"] = self._settings.client_id
                tokens = await _document(client, "POST", _address(found, "token_endpoint"), data=sent)
            keys = await _document(client, "GET", _address(found, "jwks_uri"))
        return self._person(self._claims(tokens, keys, nonce))

    def _claims(self, tokens: Document, keys: Document, nonce: str) -> Document:
        try:
            token = jwt.decode(str(tokens.get("id_token", "")), KeySet.import_key_set({"keys": list(keys["keys"])}), algorithms=_ALGORITHMS)
            claims = CodeIDToken(
                token.claims,
                token.header,
                options={
                    "iss": {"essential": True, "value": self._settings.issuer},
                    "aud": {"essential": True, "value": self._settings.client_id},
                },
                params={"client_id": self._settings.client_id, "nonce": nonce, "access_token": tokens.get("access_token")},
            )
            claims.validate(now=int(self._clock.utc().timestamp()), leeway=_LEEWAY_S)
        except (JoseError, AuthlibBaseError, ValueError, TypeError, KeyError) as exc:
            raise ProviderError(f"the provider's token cannot be believed: {type(exc).__name__}") from exc
        return dict(claims)

    def _person(self, claims: Document) -> Vouched:
        name, groups, auth_time = claims.get(self._settings.name_claim), claims.get(self._settings.groups_claim), claims.get("auth_time")
        if not isinstance(name, str) or not name:
            raise ProviderError(f"the provider's token has no {self._settings.name_claim}", fix="set oidc.name_claim to one it has")
        if not isinstance(groups, list) or len(groups) > _MANY_GROUPS:
            raise ProviderError(f"the provider's token has no list {self._settings.groups_claim}", fix="let the provider send the groups")
        return Vouched(
            subject=str(claims["sub"]),
            name=name,
            groups=frozenset(group for group in groups if isinstance(group, str)),
            auth_time=float(auth_time) if isinstance(auth_time, int | float) and not isinstance(auth_time, bool) else None,
        )

    async def _published(self, client: httpx.AsyncClient) -> Document:
        found = await _document(client, "GET", f"{self._settings.issuer.rstrip('/')}/.well-known/openid-configuration")
        if found.get("issuer") != self._settings.issuer:
            raise ProviderError(
                "the provider calls itself otherwise than oidc.issuer", fix=f"oidc.issuer would be {found.get('issuer')!s:.200}"
            )
        return found

    def _client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=self._transport, trust_env=False, follow_redirects=False, timeout=_WAIT_S)


def _address(found: Document, key: str) -> str:
    address = found.get(key)
    is_local = str(found.get("issuer")).startswith("http://")
    if not isinstance(address, str) or not address.startswith("https://" if not is_local else ("https://", "http://")):
        raise ProviderError(f"the provider publishes no {key} under https")
    return address


async def _document(client: httpx.AsyncClient, method: str, address: str, **sent: Any) -> Document:
    try:
        answer = await client.request(method, address, **sent)
        if answer.status_code != httpx.codes.OK or len(answer.content) > _LARGEST:
            raise ProviderError(f"the provider answers {answer.status_code} at {httpx.URL(address).path}")
        document = answer.json()
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as exc:
        raise ProviderError(f"the provider does not answer as it should: {type(exc).__name__}") from exc
    if not isinstance(document, dict):
        raise ProviderError("the provider answers with something else than a JSON object")
    return document
