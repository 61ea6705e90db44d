"""One match a game, pinned: the same seed and moves must give the same log and the same record, always.

When a rule changes on purpose, the game's version changes too and a new match is pinned. The matches visit
what is easy to lose: in Coup steals, blocks of every kind, a vain challenge and a redraw, an exchange, a
double loss; in Samurai and Language Survival malformed lines, all nights or holidays, and the reveal; in
Honest Rock-Paper-Scissors every pair of claims and of throws.
"""

import itertools
from pathlib import Path

import pytest

from games.core.compliance.scripted import play
from games.core.manifest import load
from games.core.match_log import timed
from games.core.match_log_json import from_json, to_json
from games.core.record import SeatInfo
from games.core.record import to_json as record_json
from games.core.replay import check, differences

KNOWN = Path(__file__).parent / "known"


def writers(moves):
    """Two Coup bots that write `moves` in turn; ("\\n", "^") also prints the cards it keeps."""
    left = itertools.cycle(moves)  # once for each match

    def answer(request):
        move = next(left)
        text, kept = move if isinstance(move, tuple) else (move, "")
        return {"appended": text, "stdout": kept}

    return [answer, answer]


def picker(lines):
    return lambda request: lines[request.step]


def looped(lines):
    """Its n-th turn of a game of four who take turns is answered by the n-th line, over and over."""
    return lambda request: lines[request.step // 4 % len(lines)]


COUP = [
    "S", "a", "\n",  "T", "p", "\n",  "S", "c", "q", "*", "<\n",  "F", "d", "\n",  "E", "p", ("\n", "^"),
    "I\n",  "T", "p", "\n",  "F", "p", "\n",  "A", "s", "\n",  "S", "p", "\n",  "F", "p", "\n",
    "I\n",  "T", "p", "\n",  "S", "c", "\n",  "A", "q", "^", "_",
]  # fmt: skip
SAMURAI = [
    picker(["0 1 2 3 4", "5 5", "5 5 4 4 3", "0 1", "2 2 2 2 2", "3 3", "0 0 0 0 0", "1 4", "5 4 3 2 1"]),
    picker(["0 0 0 0 0", "1 1", "1 1 1 1 1", "2 2", "2 2 2 2 2", "3 3", "3 3 3 3 3", "4 4", "4 4 4 4 4"]),
    picker(["5 4 3 2 1", "0", "", "9 9", "5 x 5 -1 5", "4 4 4", "1 1 2 2 3", "5 5", "0 5 0 5 0"]),
    picker(["3 3 3 2 2", "2 2", "4 4 4 5 5", "0 0", "1 2 3 4 5", "5 5", "5 5 5 5 5", "0 2", "3 3 3 3 3"]),
]

# Seat 2 wastes picks in every way there is, seat 3 says nothing on holidays.
LANGUAGE_SURVIVAL = [
    picker(["5 1 4 5 0", "1 4", "5 0 2 3 5", "0 1", "1 2 3 4 5", "2 2", "0 0 1 1 2", "3 5", "4 4 4 4 4"]),
    picker(["0 0 0 0 0", "5 5", "1 1 1 1 1", "5 5", "2 2 2 2 2", "5 5", "3 3 3 3 3", "4 4", "0 1 2 3 4"]),
    picker(["5 4 3 2 1 0", "6 1", "1.9 2 -1 5 5", "+3 x", "", "4 4 4", "1 1 2 2", "5 5 ", "0 5 0 5 0\r"]),
    picker(["3 3 3 2 2", "", "4 4 4 5 5", "", "1 2 3 4 5", "", "5 5 5 5 5", "", "3 3 3 3 3"]),
]

# In every 81 rounds each pair of claims meets each pair of throws.
HONEST_RPS = [
    lambda request: "RPS"[request.step // (6 if request.step % 2 else 2) % 3],
    lambda request: "RPS"[request.step // (54 if request.step % 2 else 18) % 3],
]
# Bets of all kinds, traps ahead and behind, a trap beside another's, a second bet on a camel, and nonsense.
CAMEL_UP = [
    looped(["[1, 1, 5]", "[0]", "[2, 4]", "[0]", "[3, 2]", "[0]", "[4, 2]", "[0]"]),
    looped(["[0]", "[1, -1, 7]", "[0]", "[2, 1]", "[2, 2]", "[4, 0]", "[0]", "[3, 3]"]),
    looped(["[2, 3]", "[2, 3]", "[1, 1, 6]", "[0]", "[3, 1]", "[0]", "oops", "[0]"]),
    looped(["[4, 1]", "[0]", "[0]", "[1, -1, 10]", "[0]", "[3, 0]", "[0]", "[2, 0]"]),
]
MATCHES = [
    ("coup", 8, writers(COUP)),
    ("samurai", 20, SAMURAI),
    ("language_survival", 7, LANGUAGE_SURVIVAL),
    ("honest_rps", 5, HONEST_RPS),
    ("camel_up", 3, CAMEL_UP),
]


@pytest.mark.parametrize(("slug", "seed", "bots"), MATCHES, ids=[slug for slug, _, _ in MATCHES])
def test_the_pinned_match_is_played_to_the_same_bytes(slug, seed, bots):
    pinned = (KNOWN / f"{slug}.json").read_text(encoding="ascii")
    expected = from_json(pinned)
    log = play(load(slug), bots, seed).log([SeatInfo(f"bot{seat}", "") for seat in range(len(bots))])
    assert differences(expected, timed(log, expected.timing)) == []
    assert to_json(timed(log, expected.timing)) == pinned


@pytest.mark.parametrize(("slug", "seed", "bots"), MATCHES, ids=[slug for slug, _, _ in MATCHES])
def test_the_pinned_record_is_written_and_leads_to_the_pinned_match(slug, seed, bots):
    pinned = (KNOWN / f"{slug}.record.json").read_bytes()
    log = play(load(slug), bots, seed).log([SeatInfo(f"bot{seat}", "") for seat in range(len(bots))])
    assert record_json(log.record).encode() == pinned
    checked = check(pinned)
    assert checked.differences == []
    assert checked.log == log
