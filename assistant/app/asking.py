"""One question without a web server: wait for the first values, answer, end."""

from pathlib import Path

from assistant.agent.answer import answer_json
from assistant.app.assistant import assisting
from assistant.settings import AssistantSettings, read_settings
from gateway.app import Gateway, running
from gateway.app.lock import data_folder
from gateway.app.terminal import actor_for
from gateway.clock import Clock, SystemClock
from gateway.model.quality import WAITING
from gateway.service.base import Actor
from gateway.settings import load_settings

_FIRST_VALUES_S = 5.0
_LOOK_S = 0.05


async def ask_config(config: Path, text: str, user: str) -> dict[str, object]:
    """Answer over the plant of a configuration, as one of its accounts (with none at all: as admin)."""
    settings = load_settings(config)
    block = read_settings(settings.assistant, settings.file)
    with data_folder(settings.data_dir):
        async with running(settings, SystemClock()) as gateway:
            return await ask_gateway(gateway, block, text, await actor_for(gateway, user))


async def ask_gateway(gateway: Gateway, block: AssistantSettings, text: str, actor: Actor) -> dict[str, object]:
    """Answer over a running gateway once every device has been asked."""
    async with assisting(gateway, block) as assistant:
        await _first_values(gateway, gateway.clock)
        return answer_json(await assistant.ask(text, actor))


async def _first_values(gateway: Gateway, clock: Clock) -> None:
    """Return when no device is waiting for its first reply, or after a while: what is still missing is said in the answer."""
    deadline = clock.monotonic() + _FIRST_VALUES_S
    while clock.monotonic() < deadline:
        polled = [tag for tag, point in gateway.plant.points.items() if point.poll not in _unpolled(gateway, tag)]
        if all(sample.reason != WAITING for sample in gateway.read.latest(polled)):
            return
        await clock.sleep(_LOOK_S)


def _unpolled(gateway: Gateway, tag: str) -> frozenset[str]:
    return gateway.plant.maps[gateway.plant.infos[gateway.plant.tag(tag)].device].on_demand
