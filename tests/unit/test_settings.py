"""Configurations: what a good one gives, and that each seeded bad one gives exactly its findings."""

from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from gateway.errors import ConfigError
from gateway.link.options import LinkOptions, Rs485
from gateway.model.point import Interlock, Role, Text
from gateway.settings import OidcSettings, SessionLimits, Settings, inspect_settings, load_settings
from tests.seeded import GOLDEN, expected

CONFIGS = Path(__file__).parents[2] / "configs"
BAD_CONFIGS = sorted((GOLDEN / "bad_configs").glob("*.yaml"))

Load = Callable[..., Settings]
DEVICE = "{id: vfd1, link: line1, unit_id: 1, map: demo_vx200, title: {en: Drive, zh: 变频器}"


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Settings of a text; its folder is `tmp_path`."""

    def load_text(
        *, site: str = "{name: Plant}", link: str = "{id: line1, transport: rtu, port: ./tty}", device: str = "", rest: str = ""
    ) -> Settings:
        path = tmp_path / "plant.yaml"
        path.write_text(f"site: {site}\nlinks:\n  - {link}\ndevices:\n  - {DEVICE}{device}}}\n{rest}", encoding="utf-8")
        return load_settings(path)

    return load_text


@pytest.mark.parametrize("path", BAD_CONFIGS, ids=lambda path: path.stem)
def test_bad_configuration_gives_exactly_its_findings(path: Path) -> None:
    wanted = expected(path)
    assert wanted
    settings, findings = inspect_settings(path)
    assert Counter((finding.line, finding.code) for finding in findings) == wanted, "\n".join(map(str, findings))
    assert all(finding.message and finding.fix and finding.file == str(path) for finding in findings)
    assert (settings is None) == any(finding.severity == "error" for finding in findings)


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.yaml")), ids=lambda path: path.stem)
def test_shipped_configuration_loads(path: Path) -> None:
    assert load_settings(path).devices


def test_secret_is_not_repeated_in_the_finding() -> None:
    _, findings = inspect_settings(GOLDEN / "bad_configs" / "secrets.yaml")
    said = " ".join(map(str, findings))
    assert findings
    assert "hunter2" not in said
    assert "abcdefgh" not in said


def test_paths_are_relative_to_the_file(load: Load, tmp_path: Path) -> None:
    settings = load(rest="data_dir: ./data\nweb: {tls: {cert: tls/cert.pem, key: tls/key.pem}}\n")
    assert settings.folder == tmp_path
    assert settings.data_dir == tmp_path / "data"
    assert settings.store_url == f"sqlite:///{tmp_path}/data/busmate.db"
    assert settings.links[0].device == str(tmp_path / "tty")
    assert settings.web.cert == str(tmp_path / "tls" / "cert.pem")


def test_defaults_of_a_small_configuration(load: Load) -> None:
    settings = load()
    assert settings.site.timezone == ZoneInfo("UTC")
    assert settings.site.languages == ("en", "zh")
    assert (settings.web.host, settings.web.port, settings.web.cert) == ("127.0.0.1", 8765, "")
    assert settings.assistant == {}
    assert settings.devices[0].stale_after_s is None
    assert settings.warnings == ()


@pytest.mark.parametrize(
    ("link", "options"),
    [
        pytest.param(
            "{id: line1, transport: rtu, port: /dev/ttyUSB0, baud: 19200, parity: even, stop_bits: 2, timeout_s: 0.5, gap_s: 0.01}",
            LinkOptions(
                id="line1", transport="rtu", device="/dev/ttyUSB0", baud=19200, parity="even", stop_bits=2, timeout_s=0.5, gap_s=0.01
            ),
            id="rtu",
        ),
        pytest.param("{id: line1, transport: rtu, port: COM3}", LinkOptions(id="line1", transport="rtu", device="COM3"), id="windows port"),
        pytest.param(
            "{id: line1, transport: ascii, port: /dev/ttyS0}",
            LinkOptions(id="line1", transport="ascii", device="/dev/ttyS0", data_bits=7),
            id="ascii",
        ),
        pytest.param(
            "{id: line1, transport: tcp, host: 10.0.0.1, tid: ignore, unit_reply: any, on_demand: true, keepalive_s: 5}",
            LinkOptions(
                id="line1",
                transport="tcp",
                host="10.0.0.1",
                tid="ignore",
                unit_reply="any",
                on_demand=True,
                keepalive_s=5.0,
            ),
            id="tcp",
        ),
        pytest.param(
            "{id: line1, transport: tls, host: plc.lan}", LinkOptions(id="line1", transport="tls", host="plc.lan", port=802), id="tls"
        ),
        pytest.param(
            "{id: line1, transport: rtu, port: /dev/ttyS0, local_echo: true, rs485: {delay_before_tx_s: 0.001}}",
            LinkOptions(id="line1", transport="rtu", device="/dev/ttyS0", local_echo=True, rs485=Rs485(delay_before_tx_s=0.001)),
            id="rs485",
        ),
    ],
)
def test_link_options(load: Load, link: str, options: LinkOptions) -> None:
    assert load(link=link).links == (options,)


def test_how_long_things_last_has_defaults_and_can_be_set(load: Load) -> None:
    usual = load()
    assert (usual.keep_days, usual.sessions) == (400, SessionLimits(idle_s=900, lifetime_s=43_200, password_again_s=300))
    rest = "store: {keep_days: 30}\nsessions: {idle_s: 600, lifetime_s: 28800, password_again_s: 60}\n"
    told = load(rest=rest)
    assert (told.keep_days, told.sessions) == (30, SessionLimits(idle_s=600, lifetime_s=28_800, password_again_s=60))


def test_identity_provider_with_its_groups(load: Load, tmp_path: Path) -> None:
    assert load().oidc is None
    where = "issuer: 'https://idp.lan/realms/p/', page: 'https://b.lan/'"
    told = load(rest=f"oidc: {{{where}, client_id: busmate, client_secret_file: ./s, groups: {{ops: operator}}}}\n").oidc
    assert told == OidcSettings(
        issuer="https://idp.lan/realms/p/",
        client_id="busmate",
        secret_file=tmp_path / "s",
        page="https://b.lan",
        groups={"ops": Role.OPERATOR},
    )


def test_site_rules_tighten_the_map(load: Load) -> None:
    settings = load(
        device=", points: {speed_sp: {write: {min: 25, max: 45, step: 0.5, max_step: 2,"
        " cooldown: 1m, role: engineer, confirm: two_step, approvals: 2}}}"
    )
    rule = settings.devices[0].map.points["speed_sp"].write
    assert rule is not None
    assert (rule.min, rule.max, rule.step, rule.max_step) == (Decimal(25), Decimal(45), Decimal("0.5"), Decimal(2))
    assert (rule.cooldown_s, rule.role, rule.confirm, rule.approvals) == (60.0, Role.ENGINEER, "two_step", 2)
    assert rule.function == 6


def test_site_interlocks_are_added_to_the_maps(load: Load) -> None:
    rule = (
        load(device=', points: {run_cmd: {write: {interlock: [{when: 运行, all: ["speed_sp >= 20"]}]}}}')
        .devices[0]
        .map.points["run_cmd"]
        .write
    )
    assert rule is not None
    assert rule.interlock == (
        Interlock(conditions=("fault_code == 0", "local_remote == 1"), when=1),
        Interlock(conditions=("speed_sp >= 20",), when=1),
    )


def test_site_alarm_is_laid_over_the_maps(load: Load, tmp_path: Path) -> None:
    (tmp_path / "own.yaml").write_text(
        "regmap: 1\nid: own\nvendor: V\nmodel: M\nkind: k\ntitle: T\nmanual: {title: T, addressing: pdu}\npoints:\n"
        "  t: {pdu: 0, table: input, type: int16, alarm: {lo: 5, hi: 80, hihi: 90, hysteresis: 2, priority: high, text: hot}}\n",
        encoding="utf-8",
    )
    path = tmp_path / "plant.yaml"
    path.write_text(
        "site: {name: Plant}\nmaps: [.]\nlinks: [{id: lan1, transport: tcp, host: h}]\ndevices:\n"
        "  - {id: d, link: lan1, unit_id: 1, map: own, title: T, "
        "points: {t: {alarm: {hi: 75, priority: low}, name: {en: Temp, zh: 温度}, aliases: [heat]}}}\n",
        encoding="utf-8",
    )
    point = load_settings(path).devices[0].map.points["t"]
    assert point.alarm is not None
    assert (point.alarm.lo, point.alarm.hi, point.alarm.hihi, point.alarm.hysteresis) == (Decimal(5), Decimal(75), Decimal(90), Decimal(2))
    assert (point.alarm.priority, point.alarm.text) == ("high", Text("hot"))
    assert (point.title, point.aliases) == (Text("Temp", "温度"), ("heat",))


def test_map_version_follows_the_site_rules(load: Load) -> None:
    plain, ruled, again = (
        load(),
        load(device=", points: {speed_sp: {write: {max: 45}}}"),
        load(device=", points: {speed_sp: {write: {max: 45}}}"),
    )
    assert plain.devices[0].map.version != ruled.devices[0].map.version == again.devices[0].map.version


def test_own_map_folder_goes_before_the_shipped_maps(load: Load, tmp_path: Path) -> None:
    own = tmp_path / "maps"
    own.mkdir()
    shipped = (Path(__file__).parents[2] / "registermaps" / "demo_vx200.yaml").read_text(encoding="utf-8")
    (own / "demo_vx200.yaml").write_text(shipped.replace("model: VX200", "model: VX201"), encoding="utf-8")
    assert load().devices[0].map.model == "VX200"
    assert load(rest="maps: [./maps]\n").devices[0].map.model == "VX201"


def test_faults_of_a_map_are_findings_of_the_map(load: Load, tmp_path: Path) -> None:
    own = tmp_path / "maps"
    own.mkdir()
    shipped = (Path(__file__).parents[2] / "registermaps" / "demo_vx200.yaml").read_text(encoding="utf-8")
    (own / "demo_vx200.yaml").write_text(shipped.replace("scale: 0.01", "scale: 0"), encoding="utf-8")
    with pytest.raises(ConfigError) as raised:
        load(rest="maps: [./maps]\n")
    assert {(finding.file, finding.code) for finding in raised.value.findings} == {(str(own / "demo_vx200.yaml"), "scale_zero")}


def test_map_is_read_once_for_several_devices(tmp_path: Path) -> None:
    settings = load_settings(CONFIGS / "demo.yaml")
    first, second = settings.devices[0].map, settings.devices[1].map
    assert first.points["speed_sp"] is second.points["speed_sp"]


def test_assistant_block_is_handed_on_unread(load: Load) -> None:
    settings = load(rest="assistant: {llm: {api_base: 'http://127.0.0.1:1/v1', context_window: 8192}, anything: [1, 0.5]}\n")
    assert settings.assistant == {"llm": {"api_base": "http://127.0.0.1:1/v1", "context_window": 8192}, "anything": [1, Decimal("0.5")]}


def test_unreadable_configuration_is_one_finding(tmp_path: Path) -> None:
    settings, findings = inspect_settings(tmp_path / "none.yaml")
    assert settings is None
    assert [finding.code for finding in findings] == ["unreadable"]
