"""The page's socket: open before its address is told, and nobody else's."""

import socket

import pytest

from gateway.app.web import address_of, listen
from gateway.errors import ConfigError
from gateway.settings import Web


def test_who_comes_before_the_page_is_up_is_not_turned_away() -> None:
    web = Web(host="127.0.0.1", port=0)
    with listen(web) as opened:
        port = opened.getsockname()[1]
        assert address_of(web, opened) == f"http://127.0.0.1:{port}/"
        with socket.create_connection(("127.0.0.1", port), timeout=1) as early:
            assert early.getpeername() == ("127.0.0.1", port)


def test_a_port_that_is_taken_is_named() -> None:
    with listen(Web(host="127.0.0.1", port=0)) as opened:
        with pytest.raises(ConfigError, match="choose another port") as taken:
            listen(Web(host="127.0.0.1", port=opened.getsockname()[1]))
        assert taken.value.findings[0].code == "port_in_use"
