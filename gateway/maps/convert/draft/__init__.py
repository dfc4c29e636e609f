"""The map in the making: what every format of `gateway.maps.convert` works with."""
