"""Register maps: their file format, reading and checking."""
