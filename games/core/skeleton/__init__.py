"""A game: manifest, rules page, referee, house bots and viewer.

docs/your-first-game.md explains each file.
"""
