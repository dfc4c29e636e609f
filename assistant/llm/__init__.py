"""The language model: how it is reached, what its server really does, and what happens when it does not answer."""
