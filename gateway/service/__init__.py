"""What tools, routes and commands call: reading, proposing, confirming."""
