"""Who acts at the terminal: it acts for whoever may read the data folder."""

from getpass import getuser

from gateway.app.gateway import Gateway
from gateway.errors import GatewayError
from gateway.model.point import Role
from gateway.service.base import Actor


class UnknownUserError(GatewayError):
    """No such account."""

    code = "UNKNOWN_USER"


async def actor_for(gateway: Gateway, user: str) -> Actor:
    """The account `user`, or that of the login name; with no accounts at all the terminal is admin. Raises UnknownUserError."""
    name = user or getuser()
    role = await gateway.users.role_of(name)
    if role is None:
        if await gateway.users.all():
            raise UnknownUserError(f"there is no account {name}", fix="name one with --user; busmate user list shows them")
        role = Role.ADMIN
    return Actor(user=name, role=role, via="cli", session="terminal")
