"""Polling: devices on their links, poll groups on a time grid, the last sample of every tag, and how each unit does."""
