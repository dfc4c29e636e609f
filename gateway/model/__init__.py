"""Pure core: points, addresses, values, plans and rules. Standard library only, no clock, no IO."""
