"""For all tests: hypothesis repeats itself, and no example is timed on a machine that is busy with others."""

from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile("ci")
