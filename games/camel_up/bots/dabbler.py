"""Dabbler: does any of the things that are allowed, and does not look at where the camels are."""

import hashlib
import random

from playerinterface import PlayerInterface


def camel_of(token):
    """An own game bet is shown as the hash of a salt and the camel: one of five it must be."""
    hashed, salt = token.split(":")
    return next(camel for camel in range(5) if hashlib.sha256(f"{salt}{camel}".encode()).hexdigest() == hashed)


def free_squares(player, g):
    """Where its trap may lie: not on, before or behind somebody else's."""
    others = [square for square, trap in enumerate(g.trap_track) if trap and trap[1] != player]
    return [square for square in range(1, 16) if all(abs(square - other) > 1 for other in others)]


class Dabbler(PlayerInterface):
    def move(player, g):
        # The chance comes from what is to be seen, so a match can be played again.
        chance = random.Random(f"{player} {g.camel_track} {g.player_money_values} {g.round_bets}")
        taken = {camel_of(token) for token in g.player_game_bets[player]}
        left = [camel for camel in g.camels if camel not in taken]
        actions = [[0], [2, chance.choice(g.camels)]]
        if free_squares(player, g):
            actions.append([1, chance.choice([-1, 1]), chance.choice(free_squares(player, g))])
        if left:
            actions += [[3, chance.choice(left)], [4, chance.choice(left)]]
        return chance.choice(actions)
