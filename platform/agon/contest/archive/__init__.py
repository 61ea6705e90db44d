"""Archives: what they hold, written, read and verified."""
