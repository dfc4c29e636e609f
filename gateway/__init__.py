"""The gateway: devices, polling, alarms, history, writing, HTTP; runs without any language model."""
