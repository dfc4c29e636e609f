"""What an experienced engineer would notice in a register map, one family of rules a file."""
