"""Seats entrants at tables in a Swiss tournament of more than two seats, with few rematches (tabu search).

The entrants are first seated table by table in the order of their points, each table with those of the next
entrants that met its bots least often (`near`). Then two entrants at a time swap places, until no two that
have met sit together (`apart`). Of all swaps of an entrant that sits with one it has met, the one that leaves
the fewest rematches is chosen, and among equals the one between the nearest places. If no swap helps, the
least bad one is made, and may not be undone for TABU steps. The best seating found is used.

Guarantees. No swap of two entrants in the result leaves fewer rematches. With t tables of k seats there are
no rematches in the first 1 + (t - 1) // (k - 1) rounds: until then no entrant has met t others or more, so
seatings without rematches exist (Hajnal and Szemeredi, 1970). That they are found is tested for up to 200
entrants, not proved.
"""

from collections import Counter
from collections.abc import Sequence

WINDOW = 3  # tables: how far down the order `near` searches
STEPS = 200  # swaps that are tried
TABU = 8

Met = Counter[frozenset[int]]


def near(seats: int, order: Sequence[int], met: Met) -> list[tuple[int, ...]]:
    """Everyone of `order` at tables."""
    left = list(order)
    tables: list[tuple[int, ...]] = []
    while left:
        table = [left.pop(0)]
        while len(table) < seats:
            next_ones = left[: seats * WINDOW]
            chosen = min(
                next_ones, key=lambda entrant: sum(met[frozenset((entrant, other))] for other in table)
            )
            left.remove(chosen)
            table.append(chosen)
        tables.append(tuple(table))
    return tables


def apart(tables: Sequence[Sequence[int]], met: Met) -> list[tuple[int, ...]]:
    """These tables, with as few rematches as can be found; each in the order of the first tables."""
    # Only here: numpy takes longer to import than the command line needs to play a match.
    from agon.contest.table_seating import TableSeating

    seating = TableSeating(tables, met)
    best, best_tables = seating.rematches, seating.tables
    made: list[int] = []
    for _ in range(STEPS):
        if not seating.rematches:
            break
        swap = seating.best_swap(made[-TABU:])
        if swap is None:
            break
        seating.make(swap)
        made += [swap.one, swap.other]
        if seating.rematches < best:
            best, best_tables = seating.rematches, seating.tables
    seating = TableSeating(best_tables, met)
    while seating.rematches and (swap := seating.best_swap([])) and swap.more < 0:
        seating.make(swap)
    return seating.tables
