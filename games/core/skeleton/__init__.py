"""A game: manifest, rules page, referee, house bots and viewer.

docs/guides/write-a-game.md explains each file.
"""
