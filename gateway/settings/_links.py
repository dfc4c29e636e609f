"""Links of a configuration: keys that belong together, one port one link."""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from gateway.errors import Finding
from gateway.link.options import LinkOptions, Rs485
from gateway.maps.findings import place
from gateway.settings._schema import LinkIn
from gateway.yamlfile import YamlFile

_SERIAL = frozenset({"rtu", "ascii"})
_SERIAL_KEYS = ("baud", "parity", "stop_bits", "data_bits", "rs485", "local_echo")
_TLS_KEYS = ("ca_file", "cert_file", "key_file")
_DEFAULT_PORTS = {"tls": 802}


def link_findings(yaml: YamlFile, number: int, link: LinkIn) -> Iterator[Finding]:
    """What is wrong with the keys of one link."""
    path = ("links", number)
    is_serial = link.transport in _SERIAL
    given = link.model_fields_set
    if is_serial and not isinstance(link.port, str):
        yield place(
            yaml,
            (*path, "port"),
            "missing_key",
            f"link {link.id} needs the path of its serial port",
            "write for example port: /dev/ttyUSB0",
        )
    if not is_serial and not link.host:
        yield place(yaml, (*path, "host"), "missing_key", f"link {link.id} needs a host", "write for example host: 192.168.10.20")
    if not is_serial and isinstance(link.port, str):
        yield place(yaml, (*path, "port"), "wrong_type", f"port {link.port!r} is not a number", "write the TCP or UDP port, usually 502")
    foreign = (("host",) if is_serial else _SERIAL_KEYS) + (() if link.transport == "tls" else _TLS_KEYS)
    for key in foreign:
        if key in given:
            yield place(yaml, (*path, key), "key_not_for_transport", f"`{key}` means nothing on a {link.transport} link", "remove it")


def link_options(link: LinkIn, folder: Path) -> LinkOptions:
    """The link as the bus takes it; paths are made absolute from the file's folder."""
    default = LinkOptions(id=link.id, transport=link.transport)
    is_serial = link.transport in _SERIAL
    return LinkOptions(
        id=link.id,
        transport=link.transport,
        host=link.host or "",
        port=link.port if isinstance(link.port, int) else _DEFAULT_PORTS.get(link.transport, default.port),
        device=_device(str(link.port), folder) if is_serial else "",
        baud=link.baud or default.baud,
        parity=link.parity or default.parity,
        stop_bits=link.stop_bits or default.stop_bits,
        data_bits=link.data_bits or (7 if link.transport == "ascii" else default.data_bits),
        timeout_s=_seconds(link.timeout_s, default.timeout_s),
        tid=link.tid or default.tid,
        unit_reply=link.unit_reply or default.unit_reply,
        local_echo=bool(link.local_echo),
        connect_delay_s=_seconds(link.connect_delay_s, default.connect_delay_s),
        gap_s=_seconds(link.gap_s, default.gap_s),
        on_demand=bool(link.on_demand),
        close_after_poll=bool(link.close_after_poll),
        keepalive_s=_seconds(link.keepalive_s, default.keepalive_s),
        user_timeout_s=_seconds(link.user_timeout_s, default.user_timeout_s),
        rs485=_rs485(link),
        ca_file=_file(link.ca_file, folder),
        cert_file=_file(link.cert_file, folder),
        key_file=_file(link.key_file, folder),
    )


def _device(port: str, folder: Path) -> str:
    """A path relative to the file, unless it is a bare name such as COM3."""
    return str(folder / port) if "/" in port else port


def _file(path: str | None, folder: Path) -> str:
    return str(folder / path) if path else ""


def _seconds(given: Decimal | None, default: float) -> float:
    return default if given is None else float(given)


def _rs485(link: LinkIn) -> Rs485 | None:
    if link.rs485 is None:
        return None
    return Rs485(
        rts_level_for_tx=link.rs485.rts_level_for_tx,
        rts_level_for_rx=link.rs485.rts_level_for_rx,
        delay_before_tx_s=float(link.rs485.delay_before_tx_s),
        delay_before_rx_s=float(link.rs485.delay_before_rx_s),
    )
