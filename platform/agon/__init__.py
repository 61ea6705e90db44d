"""Agon: matches of programs, their statistics and advice, a command line, and a web site."""
