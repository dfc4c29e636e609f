"""The operator benchmark: what operators ask over the simulated plant, and what must come back."""
