"""The main job: questions over the running plant, through the agent, its tools, the gateway and Modbus."""

from pathlib import Path

from assistant.agent.answer import answer_json
from assistant.app.assistant import assisting
from assistant.settings import AssistantSettings
from gateway.model.point import Role
from gateway.service.base import Actor
from tests.running_plant import ROOT, running_plant

OPERATOR = Actor(user="operator", role=Role.OPERATOR, via="chat")


async def test_values_writes_and_manuals_are_answered_from_the_plant(tmp_path: Path) -> None:
    block = AssistantSettings(manuals=(ROOT / "configs/manuals",))
    async with running_plant(tmp_path) as plant, assisting(plant.gateway, block) as assistant:
        pressure = answer_json(await assistant.ask("What is the discharge pressure?", OPERATOR))
        assert "4.2" in str(pressure["answer"])
        assert "bar" in str(pressure["answer"])
        assert pressure["grounded"] is True
        assert {"name": "read_points", "args": {"points": ["plc1.discharge_pressure"]}} in pressure["calls"]  # type: ignore[operator] # a list

        plant.simulated.set("vfd1.speed_fb", 38.5)
        chinese = answer_json(await assistant.ask("1号泵现在多少赫兹？", OPERATOR))
        assert "38.5" in str(chinese["answer"])
        assert "泵" in str(chinese["answer"])

        wanted = await assistant.ask("Set pump 1 to 47 Hz", OPERATOR)
        (write,) = wanted.proposals[0].writes
        assert (write.tag, write.old, write.new) == ("vfd1.speed_sp", 45, 47)
        assert plant.simulated.written == []

        fault = answer_json(await assistant.ask("P-102 shows F07, what should I do?", OPERATOR))
        assert {"doc": "vx200-en", "page": 47} in fault["citations"]  # type: ignore[operator] # a list
        assert "fan" in str(fault["answer"])
