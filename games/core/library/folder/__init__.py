"""A game that another library plays: manifest, rules page, referee, house bots and viewer.

docs/guides/write-a-game.md explains each file, and how to go on with another version of the library.
"""
