"""The fixtures that Busmate ships for tests against simulated devices, and small maps to simulate."""

from simulators import pytest_plugin

simulated_plant = pytest_plugin.simulated_plant
simulated_device = pytest_plugin.simulated_device
