"""Ratings, comparisons, weaknesses, and what differs in a fleet of workers: no Django."""
