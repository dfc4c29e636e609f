"""Stored turns: who asked what, every call and passage on the way, and what was answered."""
