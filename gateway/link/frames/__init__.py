"""Modbus frames, built and cut by pure code: PDUs of our requests, and MBAP, RTU and ASCII around them."""
