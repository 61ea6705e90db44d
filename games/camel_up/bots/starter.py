"""Camel Up starter bot: legal, short, and yours to change.

Agon calls move(player, g) on the class whenever it is your turn: without self, player is your seat. Return
[0] to roll, [1, type, square] to lay your trap, [2, camel] to bet on the winner of the round, [3, camel] or
[4, camel] to bet on the winner or the loser of the game. Whatever is not allowed counts as a roll.
Printing goes to a log that only you can read.
"""

from playerinterface import PlayerInterface


class Starter(PlayerInterface):
    def move(player, g):
        leader = [camel for stack in g.camel_track for camel in stack][-1]
        if not any(camel == leader for camel, _ in g.round_bets):
            return [2, leader]  # five coins, if it still leads when the round ends
        return [0]
