"""profiler: many theories of what the opponent does, each trusted as far as it has foretold so far.

A theory looks at some of the facts (who is ahead by the claims, who kept its word last round, what was
thrown, what would be the best answer to this bot's own habits) and counts what followed them; recent rounds
count more. Throws are foretold relative to claims, so that a habit is found whatever the moves are called.
Claims are foretold likewise, and its own claim is the one after which the best answer to all that promises
the most. Of answers that promise the same it takes the one that leaves the other side less.
"""

import random
from collections import defaultdict

MOVES = "RPS"
NUMBER = {"R": 0, "P": 1, "S": 2}
FADING = 0.97
SPITE = 0.2  # what a point of the other side costs


class Theory:
    """Counts of the three things that may follow, for each view of the facts."""

    def __init__(self, view, prior):
        self.view = view
        self.counts = defaultdict(lambda: list(prior))
        self.trust = 1.0

    def foretell(self, facts):
        counts = self.counts[self.view(facts)]
        whole = sum(counts)
        return [count / whole for count in counts]

    def learn(self, facts, came):
        self.trust = max(1e-6, self.trust**0.95 * self.foretell(facts)[came])
        counts = self.counts[self.view(facts)]
        for number in range(3):
            counts[number] *= FADING
        counts[came] += 1


def together(theories, facts):
    """What all theories foretell, the trusted ones before the others."""
    trust = sum(theory.trust**2 for theory in theories)
    chances = [0.0, 0.0, 0.0]
    for theory in theories:
        for number, chance in enumerate(theory.foretell(facts)):
            chances[number] += chance * theory.trust**2 / trust
    return chances


# How somebody throws is counted from the own claim: 0 keeps the word, 1 is the move that beats it, 2 the other.
# Facts of a throw: their claim less mine, how they threw last, how I threw last, how they threw before that, both
# claims, what they threw last, and how they would do best to throw if I threw as I did after such claims.
HONEST = (0.8, 0.4, 0.4)
throws = [
    Theory(lambda facts: None, HONEST),
    Theory(lambda facts: facts[0], HONEST),
    Theory(lambda facts: facts[:2], HONEST),
    Theory(lambda facts: (facts[0], facts[2]), HONEST),
    Theory(lambda facts: facts[:3], HONEST),
    Theory(lambda facts: (facts[0], facts[1], facts[3]), HONEST),
    Theory(lambda facts: facts[4:6], HONEST),
    Theory(lambda facts: facts[4:7], HONEST),
    Theory(lambda facts: (facts[0], facts[7]), HONEST),
    Theory(lambda facts: facts[7:], HONEST),
]
habits = defaultdict(lambda: [1.3, 0.3, 0.3])  # how I throw, by (my claim, their claim)
# Facts of a claim: their last claim and throw, my last claim and throw.
ANY = (0.5, 0.5, 0.5)
claims = [
    Theory(lambda facts: None, ANY),
    Theory(lambda facts: facts[0], ANY),
    Theory(lambda facts: facts[:2], ANY),
    Theory(lambda facts: facts[2:], ANY),
    Theory(lambda facts: facts, ANY),
]


def last(past):
    return [NUMBER[move] for move in past[-1]] if past else [0, 0]


def kept(past, back):
    """How a side threw that many rounds ago."""
    if len(past) < back:
        return 0
    claimed, threw = past[-back]
    return (NUMBER[threw] - NUMBER[claimed]) % 3


def throw_facts(their_past, my_past, theirs, mine, before=0):
    """Facts when both have claimed; before=1: as they were in the round that is the last one now."""
    return (
        (theirs - mine) % 3,
        kept(their_past, 1 + before),
        kept(my_past, 1 + before),
        kept(their_past, 2 + before),
        theirs,
        mine,
        their_past[-1 - before][1] if len(their_past) > before else None,
        (best_throw(theirs, mine, habits[mine, theirs]) - theirs) % 3,
    )


def claim_facts(their_past, my_past):
    return (*last(their_past), *last(my_past))


def look_back(their_past, my_past):
    """Judge the theories by the round that has just been played."""
    (theirs, their_throw), (mine, my_throw) = last(their_past), last(my_past)
    facts = throw_facts(their_past, my_past, theirs, mine, before=1)
    for theory in throws:
        theory.learn(facts, (their_throw - theirs) % 3)
    habit = habits[mine, theirs]
    habits[mine, theirs] = [0.99 * count for count in habit]
    habits[mine, theirs][(my_throw - mine) % 3] += 1
    facts = claim_facts(their_past[:-1], my_past[:-1])
    for theory in claims:
        theory.learn(facts, theirs)


def worth(throw, mine, theirs, chances):
    """What a throw is expected to be worth when the opponent throws its claim + n with chances[n] (or so often)."""
    points = float(throw == mine) * sum(chances)
    for number, chance in enumerate(chances):
        lead = (throw - theirs - number) % 3
        points += chance * ((1, 2, 0)[lead] - SPITE * ((1, 0, 2)[lead] + (number == 0)))
    return points


def best_throw(mine, theirs, chances):
    return max(range(3), key=lambda throw: worth(throw, mine, theirs, chances))


def promise(mine, their_past, my_past, their_chances):
    total = 0.0
    for theirs, chance in enumerate(their_chances):
        chances = together(throws, throw_facts(their_past, my_past, theirs, mine))
        total += chance * worth(best_throw(mine, theirs, chances), mine, theirs, chances)
    return total


def profiler(their_past, my_past, their_claim, my_claim):
    if their_claim is not None:
        mine, theirs = NUMBER[my_claim], NUMBER[their_claim]
        chances = together(throws, throw_facts(their_past, my_past, theirs, mine))
        return MOVES[best_throw(mine, theirs, chances)]
    if my_past:
        look_back(their_past, my_past)
    if len(my_past) < 10:
        return random.choice(MOVES)
    their_chances = together(claims, claim_facts(their_past, my_past))
    worths = [promise(mine, their_past, my_past, their_chances) for mine in range(3)]
    return MOVES[worths.index(max(worths))]
