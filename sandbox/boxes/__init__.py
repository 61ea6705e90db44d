"""Warm boxes and what is exchanged with the bots in them, and how long that may take."""
