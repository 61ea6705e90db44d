"""Advice for the authors of faulty bots: no Django."""
