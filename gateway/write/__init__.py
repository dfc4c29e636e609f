"""The gate through which every write goes to the wire."""
