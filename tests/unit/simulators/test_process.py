"""The pump station lives: each cause has its effect, in its time, and nothing else moves it."""

from datetime import UTC, datetime

import pytest

from gateway.clock import ManualClock
from gateway.model.point import DataType, Text
from simulators.plant import device_plant, load_plant
from simulators.simulated_plant import SimulatedPlant
from tests.unit.simulators.small_maps import point, register_map, writable

START = datetime(2026, 3, 10, 6, tzinfo=UTC)


class Station:
    """The live pump station under a manual clock."""

    def __init__(self, *, steady: bool = False, seed: int = 1) -> None:
        self.clock = ManualClock(START)
        self.plant = SimulatedPlant(load_plant("pump_station"), self.clock, seed, steady=steady)

    def number(self, tag: str) -> float:
        value = self.plant.get(tag)
        assert not isinstance(value, str)
        return float(value)

    def write(self, link: str, unit: int, pdu: str) -> None:
        reply = self.plant.serve_pdu(link, unit, bytes.fromhex(pdu))
        assert reply is not None
        assert not reply[0] & 0x80


@pytest.fixture
def station() -> Station:
    return Station()


async def test_a_written_set_point_is_reached_by_the_acceleration_time(station: Station) -> None:
    station.write("line1", 1, "06 2001 0FA0")  # 40.00 Hz
    await station.clock.advance(0.75)
    assert station.number("vfd1.speed_fb") == pytest.approx(44.9 - 50 / 15 * 0.75, abs=0.05)
    assert station.plant.get("vfd1.status") == 3
    await station.clock.advance(10)
    assert station.number("vfd1.speed_fb") == pytest.approx(39.9, abs=0.05)
    assert station.plant.get("vfd1.status") == 7
    assert station.number("vfd1.motor_current") < 29
    assert station.number("plc1.flow") < 120
    assert station.number("plc1.discharge_pressure") < 3.9
    assert station.number("em1.active_power") < 15


async def test_a_stopped_pump_coasts_to_nothing_and_cools(station: Station) -> None:
    station.write("line1", 1, "06 2000 0000")
    await station.clock.advance(20)
    assert station.number("vfd1.speed_fb") == 0
    assert station.number("vfd1.motor_current") == 0
    assert station.plant.get("vfd1.status") == 1
    await station.clock.advance(600)
    assert station.number("vfd1.motor_temp") < 70
    assert station.number("plc1.flow") == 0
    assert station.number("plc1.discharge_pressure") == pytest.approx(1.0, abs=0.1)
    assert station.number("em1.active_power") == pytest.approx(2.4, abs=0.2)
    station.write("line1", 1, "06 2000 0001")
    await station.clock.advance(20)
    assert station.number("vfd1.speed_fb") == pytest.approx(44.9, abs=0.05)


async def test_the_standby_pump_starts_only_after_its_fault_is_reset(station: Station) -> None:
    station.write("line1", 2, "06 2000 0001")
    await station.clock.advance(20)
    assert station.number("vfd2.speed_fb") == 0
    station.write("line1", 2, "06 2000 0000")
    station.write("line1", 2, "06 2002 0001")
    assert station.plant.get("vfd2.fault_reset") == 1
    await station.clock.advance(1)
    assert station.plant.get("vfd2.fault_code") == 0
    assert station.plant.get("vfd2.fault_reset") == 0
    assert station.plant.get("vfd2.status") == 1
    station.write("line1", 2, "06 2000 0001")
    await station.clock.advance(20)
    assert station.number("vfd2.speed_fb") == pytest.approx(39.9, abs=0.05)
    assert 128.5 < station.number("plc1.flow") < 2 * 128.5


@pytest.mark.parametrize(("tag", "value"), [("vfd2.run_cmd", 1), ("vfd2.motor_temp", 100)], ids=["run command", "hot"])
async def test_a_reset_needs_a_stop_command_and_a_cool_motor(station: Station, tag: str, value: int) -> None:
    station.plant.set(tag, value)
    station.write("line1", 2, "06 2002 0001")
    await station.clock.advance(1)
    assert station.plant.get("vfd2.fault_code") == 7


async def test_a_hot_motor_trips_and_restarts_only_by_a_new_command(station: Station) -> None:
    station.plant.set("vfd1.motor_temp", 115)
    await station.clock.advance(10)
    assert station.plant.get("vfd1.fault_code") == 7
    assert station.plant.get("vfd1.status") == 8
    assert station.number("vfd1.speed_fb") == 0
    station.plant.set("vfd1.motor_temp", 50)
    station.plant.set("vfd1.fault_code", 0)
    await station.clock.advance(10)
    assert station.number("vfd1.speed_fb") == 0
    station.plant.set("vfd1.run_cmd", 0)
    await station.clock.advance(1)
    station.plant.set("vfd1.run_cmd", 1)
    await station.clock.advance(20)
    assert station.number("vfd1.speed_fb") == pytest.approx(44.9, abs=0.05)


async def test_the_emergency_stop_stops_pumps_and_dosing_until_a_new_command(station: Station) -> None:
    station.plant.set("plc1.estop", True)
    await station.clock.advance(30)
    assert station.number("vfd1.speed_fb") == 0
    assert station.plant.get("plc1.dose_pump_run") is False
    assert station.number("plc1.dose_rate_fb") == 0
    assert station.plant.get("vfd1.status") == 0
    station.plant.set("plc1.estop", False)
    await station.clock.advance(30)
    assert station.number("vfd1.speed_fb") == 0
    assert station.plant.get("vfd1.run_cmd") == 1


async def test_in_local_the_drive_takes_no_commands_from_the_line(station: Station) -> None:
    await station.clock.advance(1)
    station.plant.set("vfd1.local_remote", False)
    station.write("line1", 1, "06 2001 07D0")
    station.write("line1", 1, "06 2000 0000")
    await station.clock.advance(20)
    assert station.number("vfd1.speed_fb") == pytest.approx(44.9, abs=0.05)


async def test_the_tank_empties_by_flow_and_fills_again(station: Station) -> None:
    await station.clock.advance(600)
    assert station.number("lt1.level") == pytest.approx(63.0 - 9 / 6, abs=0.1)
    assert station.number("lt1.level_m") == pytest.approx(station.number("lt1.level") / 20, abs=0.01)
    station.plant.set("lt1.level", 24)
    await station.clock.advance(600)
    assert station.number("lt1.level") > 26


async def test_a_dry_tank_gives_no_flow(station: Station) -> None:
    station.plant.set("lt1.level", 0)
    await station.clock.advance(0.2)
    station.plant.set("lt1.level", 0)
    await station.clock.advance(20)
    station.plant.set("lt1.level", 0)
    await station.clock.advance(10)
    assert station.number("plc1.flow") < 1


async def test_energy_counts_power_until_it_is_reset(station: Station) -> None:
    await station.clock.advance(3600)
    assert station.number("em1.energy_import") == pytest.approx(48218.4 + 18.4, abs=0.5)
    station.write("line1", 3, "06 1010 0001")
    await station.clock.advance(1)
    assert station.number("em1.energy_import") < 0.2
    assert station.plant.get("em1.reset_energy") == 0
    assert station.number("vfd1.run_hours") == 12035


@pytest.mark.parametrize(("mode", "output"), [("off", 0.0), ("manual", 62.0)])
async def test_the_heater_obeys_its_mode(station: Station, mode: str, output: float) -> None:
    station.plant.set("tc1.mode", mode)
    await station.clock.advance(60)
    assert station.number("tc1.output") == output


async def test_the_heater_reaches_its_set_point(station: Station) -> None:
    await station.clock.advance(4 * 3600)
    assert station.number("tc1.pv") == pytest.approx(35, abs=1)
    station.write("line1", 4, "06 0001 9001")  # 40.0 degC, bytes swapped
    await station.clock.advance(1)
    assert station.number("tc1.sp") == 40
    await station.clock.advance(8 * 3600)
    assert station.number("tc1.pv") > 37


async def test_the_heater_raises_its_alarm_bits(station: Station) -> None:
    station.plant.set("tc1.pv", 50)
    await station.clock.advance(1)
    assert station.plant.get("tc1.alarm_status") == 1
    station.plant.set("tc1.pv", 10)
    await station.clock.advance(1)
    assert station.plant.get("tc1.alarm_status") == 2
    station.plant.set("tc1.alarm_status", "sensor_break")
    await station.clock.advance(1)
    assert station.number("tc1.output") == 0


async def test_chlorine_follows_the_dose(station: Station) -> None:
    station.write("lan2", 1, "05 0000 0000")  # manual
    station.write("lan2", 1, "06 0000 00F0")  # 240 mL/min
    await station.clock.advance(15)
    assert station.number("plc1.dose_rate_fb") == pytest.approx(236, abs=2)
    await station.clock.advance(1800)
    assert station.number("plc1.chlorine") == pytest.approx(1.24, abs=0.05)
    assert station.number("plc1.chem_tank_level") < 34 - 3


async def test_in_automatic_the_dose_follows_the_flow(station: Station) -> None:
    station.write("line1", 1, "06 2001 0BB8")  # 30 Hz
    await station.clock.advance(1800)
    assert station.number("plc1.dose_rate_fb") == pytest.approx(118 * 29.93 / 44.9, abs=3)
    assert station.number("plc1.chlorine") == pytest.approx(0.62, abs=0.03)


async def test_nothing_leaves_its_registers_in_a_day(station: Station) -> None:
    station.plant.set("vfd2.fault_code", 0)
    station.plant.set("vfd2.run_cmd", 1)
    for _ in range(12):
        await station.clock.advance(7200)
        assert 0 <= station.number("lt1.level") <= 100
    assert 0.2 < station.number("plc1.chlorine") < 1.5
    assert station.number("plc1.chem_tank_level") > 4


async def test_the_same_seed_gives_the_same_values() -> None:
    one, same, other = Station(), Station(), Station(seed=2)
    for each in (one, same, other):
        await each.clock.advance(30)
    tags = [tag for tag in load_plant("pump_station").values if tag.startswith("em1.")]
    assert [one.plant.get(tag) for tag in tags] == [same.plant.get(tag) for tag in tags]
    assert [one.plant.get(tag) for tag in tags] != [other.plant.get(tag) for tag in tags]


async def test_a_frozen_point_stands_still_while_the_process_goes_on(station: Station) -> None:
    fault = station.plant.fault("freeze", tag="lt1.level")
    await station.clock.advance(600)
    assert station.number("lt1.level") == 63.0
    assert station.number("lt1.level_m") < 3.1
    fault.clear()
    assert station.number("lt1.level") < 62


async def test_a_steady_plant_holds_what_is_written_and_nothing_moves() -> None:
    station = Station(steady=True)
    before = {tag: station.plant.get(tag) for tag in station.plant.plant.values}
    station.write("line1", 1, "06 2001 0FA0")
    station.write("line1", 2, "06 2002 0001")
    await station.clock.advance(0.4)
    assert station.plant.get("vfd2.fault_reset") == 1
    await station.clock.advance(3600)
    after = {tag: station.plant.get(tag) for tag in station.plant.plant.values}
    assert {tag for tag in after if after[tag] != before[tag]} == {"vfd1.speed_sp"}
    assert float(after["vfd1.speed_sp"]) == 40.0
    assert [(written.tag, float(written.value), written.at) for written in station.plant.written] == [
        ("vfd1.speed_sp", 40.0, 0.0),
        ("vfd2.fault_reset", 1.0, 0.0),
    ]


async def test_sim_keys_of_a_map_move_its_values() -> None:
    small = register_map(
        point("wave", 0, DataType.FLOAT32, sim={"wave": "sine", "mean": 50, "amplitude": 10, "period": "4s"}),
        point("square", 2, DataType.FLOAT32, sim={"wave": "square", "mean": 0, "amplitude": 1, "period": "4s"}),
        point("ramp", 4, DataType.FLOAT32, sim={"wave": "ramp", "mean": 0, "amplitude": 1, "period": "4s"}),
        point("noise", 6, DataType.FLOAT32, sim={"wave": "noise", "mean": 5, "amplitude": 1}),
        writable("sp", 10, sim={"value": 100}),
        writable("command", 11, enum={0: Text(en="stop"), 1: Text(en="run")}),
        point("pv", 12, DataType.FLOAT32, sim={"follows": "sp", "lag": "10s", "when": "command == 'run'"}),
        point("same", 14, sim={"follows": "sp"}),
        point("total", 16, DataType.FLOAT32, sim={"counter_of": "pv", "per": "1h", "when": "pv >= 1"}),
    )
    clock = ManualClock(START)
    plant = SimulatedPlant(device_plant(small, {}), clock)
    assert plant.get("device.wave") == 50
    await clock.advance(1.0)
    assert plant.get("device.wave") == pytest.approx(60, abs=0.1)
    assert plant.get("device.square") == 1
    assert plant.get("device.ramp") == pytest.approx(-0.5, abs=0.01)
    assert plant.get("device.noise") == pytest.approx(5, abs=1)
    assert plant.get("device.same") == 100
    assert plant.get("device.pv") == plant.get("device.total") == 0
    plant.set("device.command", "run")
    await clock.advance(10.0)
    assert plant.get("device.pv") == pytest.approx(63.2, abs=0.5)
    await clock.advance(3600.0)
    assert plant.get("device.total") == pytest.approx(100, abs=1)
