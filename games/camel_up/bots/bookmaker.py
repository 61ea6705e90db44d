"""Bookmaker: plays the rest of the round out in every way there is, and bets where the odds pay.

What the others do is not its business: a bet is worth what it earns on average, a roll is worth one coin.
"""

from playerinterface import PlayerInterface

FIRST, SECOND = (5, 3, 2, 1), (1, 1, 1)


def after(stacks, traps, camel, die):
    """The stacks, {square: camels from the bottom up}, when that camel has moved."""
    square = next(square for square, stack in stacks.items() if camel in stack)
    stack = stacks[square]
    place = stack.index(camel)
    stays, unit = stack[:place], stack[place:]
    moved = {**stacks, square: stays}
    if not stays:
        del moved[square]
    target = square + die
    trap = traps[target][0] if traps[target] else 0
    there = moved.get(target + trap, ())
    moved[target + trap] = unit + there if trap < 0 else there + unit
    return moved


def ways(stacks, traps, waiting, weight, counts):
    """Add to counts[camel] how likely it is to be [first, second] when the round ends."""
    order = [camel for square in sorted(stacks) for camel in stacks[square]]
    if not waiting or max(stacks) >= 16:
        counts[order[-1]][0] += weight
        counts[order[-2]][1] += weight
        return
    share = weight / len(waiting) / 3
    for camel in waiting:
        left = [other for other in waiting if other != camel]
        for die in (1, 2, 3):
            ways(after(stacks, traps, camel, die), traps, left, share, counts)


def odds(g):
    """For each camel the chances to be first and second at the end of the round."""
    stacks = {square: tuple(stack) for square, stack in enumerate(g.camel_track) if stack}
    waiting = [camel for camel in g.camels if g.camel_yet_to_move[camel]]
    counts = {camel: [0.0, 0.0] for camel in g.camels}
    ways(stacks, g.trap_track, waiting, 1.0, counts)
    return counts


def worth_of_round_bet(first, second, earlier):
    """What a bet earns on average when so many have bet on the camel before."""
    pays = FIRST[earlier] if earlier < len(FIRST) else 0
    also = SECOND[earlier] if earlier < len(SECOND) else 0
    return first * pays + second * also - (1 - first - second)


class Bookmaker(PlayerInterface):
    def move(player, g):
        if all(g.camel_yet_to_move):
            return [0]  # there are 29,160 ways, and after the first roll only 1,944
        best, action = 1.0, [0]
        for camel, (first, second) in odds(g).items():
            earlier = sum(other == camel for other, _ in g.round_bets)
            worth = worth_of_round_bet(first, second, earlier)
            if worth > best:
                best, action = worth, [2, camel]
        return action
