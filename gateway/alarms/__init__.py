"""Alarms over samples: standing, acknowledgement, shelving, journal."""
