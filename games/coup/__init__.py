"""Coup for two programs that append to one history file."""
