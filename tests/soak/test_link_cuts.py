"""The soak sees what it is there to see: open sockets, growing memory. It runs with the benches."""

import socket

import pytest

from tests.soak.fragile_links import open_files
from tests.soak.link_cuts import _slope


def test_open_socket_is_counted() -> None:
    before = open_files()["sockets"]
    with socket.socket():
        assert open_files()["sockets"] == before + 1
    assert open_files()["sockets"] == before


@pytest.mark.parametrize(
    ("points", "slope"),
    [([(0, 5), (1, 7), (2, 9)], 2.0), ([(0, 5), (1, 5), (2, 5)], 0.0), ([(0, 1), (1, 4), (2, 1)], 0.0), ([(3, 3)], 0.0)],
    ids=["grows", "flat", "bump", "one"],
)
def test_slope_is_that_of_least_squares(points: list[tuple[float, float]], slope: float) -> None:
    assert _slope(points) == slope
