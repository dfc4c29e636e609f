"""The step contract: what a model may write in one step, read strictly, and what it is told when it is wrong."""
