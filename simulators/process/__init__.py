"""What happens in a simulated plant: models that move the values of tags through time."""
