"""Turning an upload into a checked `Source`, or refusing it."""
