"""Composition root: settings to objects, one TaskGroup, ordered start and stop."""

from gateway.app.gateway import Gateway, running

__all__ = ["Gateway", "running"]
