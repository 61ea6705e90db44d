"""Detective: finds out who did what on the holidays, and spends its believers where they will tell.

The published counts, less its own two picks, are shared among the others by taste: by what each has
been seen to pick. From that it foresees what everybody will have after turn 9, with some doubt, and
weighs for each language how likely one more believer is to change a first or a last place.
"""

import math
import sys

ALL = 36  # believers that everybody wins in a match


class Suspect:
    """One of the other players: what it is seen to pick, and what it may have picked unseen."""

    def __init__(self, attention):
        self.taste = [weight / 3 for weight in attention]
        self.believers = [0.0] * len(attention)

    def seen(self, gains):
        for language, gain in enumerate(gains):
            self.taste[language] += gain
            self.believers[language] += gain

    def suspected(self, language, believers):
        self.believers[language] += believers

    def foreseen(self):
        """Believers after turn 9, and how far that may be off."""
        left = max(0.0, ALL - sum(self.believers))  # suspicions may add up to too much
        total = sum(self.taste)
        chances = [taste / total for taste in self.taste]
        means = [have + left * chance for have, chance in zip(self.believers, chances)]
        doubts = [math.sqrt(1 + 1.5 * left * chance * (1 - chance)) for chance in chances]
        return list(zip(means, doubts))


def below(mine, foreseen):
    """The chance that one of the others ends with fewer believers than `mine`."""
    mean, doubt = foreseen
    return 0.5 * (1 + math.erf((mine - mean) / doubt / math.sqrt(2)))


def points(mine, others):
    """Of a language of attention 1: the chance to be ahead of all others less that of being behind."""
    first = last = 1.0
    for other in others:
        chance = below(mine, other)
        first *= chance
        last *= 1 - chance
    return first - last


def best_pick(attention, mine, futures, left, step):
    """Where believers bring the most, each language given as many as are worth most there."""
    best, found = -1.0, 0
    for language, weight in enumerate(attention):
        others = [future[language] for future in futures]
        now = points(mine[language], others)
        for more in range(step, left + 1, step):
            gain = weight * (points(mine[language] + more, others) - now) / more
            if gain > best:
                best, found = gain, language
    return found


def watch(suspects, turn, shown, before, holiday, my_holiday):
    """Book what the last turn has shown of the others."""
    for number, suspect in enumerate(suspects, start=1):
        now = [row[number] for row in shown]
        if turn == 6:  # everything is known again; the last day's gains cannot be told apart
            suspect.believers = [float(believers) for believers in now]
        else:
            suspect.seen([a - row[number] for a, row in zip(now, before)])
    if holiday is None:
        return
    for language, picks in enumerate(holiday):
        left = picks - my_holiday.count(language)
        total = sum(suspect.taste[language] for suspect in suspects)
        for suspect in suspects:
            suspect.suspected(language, 2 * left * suspect.taste[language] / total)


def main():
    def numbers():
        return [int(word) for word in sys.stdin.readline().split()]

    print("READY", flush=True)
    turns, players, languages = numbers()
    attention = numbers()
    suspects = [Suspect(attention) for _ in range(players - 1)]
    before = [[0] * players for _ in range(languages)]
    my_holiday = []
    for turn in range(1, turns + 1):
        weekday = sys.stdin.readline().split()[1] == "W"
        shown = [numbers() for _ in range(languages)]
        mine = numbers()
        holiday = numbers() if weekday else None
        watch(suspects, turn, shown, before, holiday, my_holiday)
        before = shown
        futures = [suspect.foreseen() for suspect in suspects]
        left, step, count = ALL - sum(mine), 1 if weekday else 2, 5 if weekday else 2
        picks = []
        for _ in range(count):
            language = best_pick(attention, mine, futures, left, step)
            mine[language] += step
            left -= step
            picks.append(language)
        my_holiday = [] if weekday else picks
        print(*picks, flush=True)


main()
