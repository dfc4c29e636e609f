"""Simulated devices and plants to test against."""
