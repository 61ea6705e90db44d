"""Shadow: knows where the others go at night.

What everybody picked last night is published lord by lord, without names. Shadow takes out its own two
picks and shares the rest among the other three, in proportion to their taste: what each of them
has picked by day. With intimacies estimated like that, it looks for the lord where a few more picks
change most in the coming battle, by the effort they take.
"""

import sys


def share(strength, row, me):
    """What a lord brings daimyo 0 if it has `me` and the others `row`. Close counts a little, too."""
    best, worst = max(row), min(row)
    points = 0.0
    if me >= best:
        points += strength / (1 + sum(other == best == me for other in row))
    if me <= worst:
        points -= strength / (1 + sum(other == worst == me for other in row))
    return points


def best_lord(strengths, others, mine, step, most):
    """The lord where points gained by effort are highest, looking up to `most` picks ahead."""
    best, result = -1.0, 0
    for lord, strength in enumerate(strengths):
        now = share(strength, others[lord], mine[lord])
        for picks in range(1, most + 1):
            # A little more than level: the others will not stand still either.
            then = share(strength, others[lord], mine[lord] + picks * step - 0.5)
            value = (then - now) / picks + 0.01 * strength - 0.001 * mine[lord]
            if value > best:
                best, result = value, lord
    return result


class Watcher:
    """Follows the others' picks by day and guesses those by night."""

    def __init__(self, lords):
        self.taste = [[1.0] * 3 for _ in range(lords)]  # picks by day, plus one
        self.hidden = [[0.0] * 3 for _ in range(lords)]  # estimated intimacy of nights not yet shown
        self.before = None

    def look(self, turn, shown, night, my_night):
        others = [row[1:] for row in shown]
        if turn == 6:  # the nights so far are in the table now
            self.hidden = [[0.0] * 3 for _ in others]
        elif self.before is not None:
            for lord, row in enumerate(others):
                for daimyo, now in enumerate(row):
                    self.taste[lord][daimyo] += now - self.before[lord][daimyo]
        self.before = others
        if night is not None and turn > 1:
            for lord, picks in enumerate(night):
                left = picks - my_night.count(lord)
                total = sum(self.taste[lord])
                for daimyo in range(3):
                    self.hidden[lord][daimyo] += 2 * left * self.taste[lord][daimyo] / total
        return [[a + b for a, b in zip(row, extra)] for row, extra in zip(others, self.hidden)]


def main():
    def numbers():
        return [int(word) for word in sys.stdin.readline().split()]

    print("READY", flush=True)
    turns, _daimyo, lords = numbers()
    strengths = numbers()
    watcher, my_night = Watcher(lords), []
    for turn in range(1, turns + 1):
        day = sys.stdin.readline().split()[1] == "D"
        shown = [numbers() for _ in range(lords)]
        mine = numbers()
        night = numbers() if day else None
        others = watcher.look(turn, shown, night, my_night)
        step, count = (1, 5) if day else (2, 2)
        picks = []
        for left in range(count, 0, -1):
            lord = best_lord(strengths, others, mine, step, left)
            mine[lord] += step
            picks.append(lord)
        my_night = [] if day else picks
        print(*picks, flush=True)


main()
