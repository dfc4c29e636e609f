"""One turn: a question to steps, tools, observations and a grounded answer."""
