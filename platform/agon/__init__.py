"""Agon: matches of programs, their statistics and advice, a command line, and a web site."""

__version__ = "1.0.0"
