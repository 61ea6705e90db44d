"""Trapper: sees where the camels that are still to move will come down, and lays its trap there.

Two squares ahead of a camel one die in three leads; the camels that ride along are not counted. It lays the
trap once a round, and then follows the crowd: a bet on the leader, or a roll.
"""

from playerinterface import PlayerInterface


def landings(g):
    """For each square how many of the next single moves would end there."""
    counts = [0] * 29
    for square, stack in enumerate(g.camel_track):
        for camel in stack:
            if g.camel_yet_to_move[camel]:
                for die in (1, 2, 3):
                    counts[square + die] += 1
    return counts


def is_free(player, g, square):
    near = [trap for trap in g.trap_track[square - 1 : square + 2] if trap]
    return all(owner == player for _, owner in near)


class Trapper(PlayerInterface):
    def move(player, g):
        counts = landings(g)
        squares = [square for square in range(1, 16) if is_free(player, g, square)]
        if squares and not g.player_has_placed_trap[player]:
            best = max(squares, key=lambda square: counts[square])
            if counts[best] >= 4:
                return [1, 1, best]
        leader = [camel for stack in g.camel_track for camel in stack][-1]
        if sum(camel == leader for camel, _ in g.round_bets) < 2:
            return [2, leader]
        return [0]
