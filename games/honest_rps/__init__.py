"""Honest Rock-Paper-Scissors: say what you will throw, then throw."""
