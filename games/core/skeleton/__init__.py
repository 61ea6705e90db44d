"""A game: its manifest, rules, referee, house bots and viewer; docs/your-first-game.md explains each."""
