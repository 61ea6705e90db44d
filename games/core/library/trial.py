"""Random matches of a library's game, before a folder is written for it."""

import random
from typing import NamedTuple

from games.core.library.referee import LibraryGame, Refused

MATCHES = 5
MOST_ASKS = 10_000
MOST_SHOWN = 12  # lines of each kind in the example
LONGEST_MOVE = 4_000  # bytes


class Trial(NamedTuple):
    """example: the first question of a match, and an answer, for a rules page. longest_answer: bytes."""

    example: str
    longest_answer: int


def trial(referee: type[LibraryGame], seats: int) -> Trial:
    """Play some matches of random legal moves. Raises Refused if one of them fails, or does not end."""
    rng, example, longest = random.Random(0), "", 0
    for seed in range(MATCHES):
        try:
            game = referee(seats, seed)
            running = game.play()
            ask = next(running)
            for _ in range(MOST_ASKS):
                moves = {}
                for seat in ask.seats or ():
                    view, answer = game.view(seat), rng.choice([*game.moves(seat)])
                    example = example or _example(view, answer)
                    longest = max(longest, *(len(text.encode()) for text in game.moves(seat)))
                    moves[seat] = game.move(seat, answer)
                ask = running.send(moves)
            raise Refused(f"a match of random moves did not end within {MOST_ASKS} questions")
        except StopIteration:
            continue
        except Refused:
            raise
        except Exception as error:  # whatever a library raises
            words = " ".join(str(error).split())[:300]
            raise Refused(f"a match of random moves failed: {type(error).__name__}: {words}") from error
    if longest > LONGEST_MOVE:
        raise Refused(f"the text of a move has {longest} bytes, and {LONGEST_MOVE} are the most")
    return Trial(example, longest)


def _example(view: str, answer: str) -> str:
    head, *lines = view.splitlines()
    seen = int(head.split()[1])
    shown = [head, *_some(lines[:seen]), *_some(lines[seen:])]
    text = "\n".join([*(f"> {line}" for line in shown), f"< {answer}"])
    return text.replace("```", "'''").replace("{{", "{ {")


def _some(lines: list[str]) -> list[str]:
    """The first of many lines."""
    return lines if len(lines) <= MOST_SHOWN else [*lines[:MOST_SHOWN], f"... ({len(lines)} lines)"]
