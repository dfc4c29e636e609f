"""Links: one worker per serial port or host:port, and the transports that carry its exchanges."""
