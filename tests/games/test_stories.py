"""Matches told in words, from their frames: who did what, in answer to which ask."""

import importlib

from games.core.compliance.scripted import play
from games.core.faults import FaultCause, FaultKind
from games.core.manifest import load
from games.core.record import SeatInfo
from tests.support.reasons import said


def told(slug, bots, seed=1, faults=None):
    """Every scene as its title and lines; a line is (seat, ask, text)."""
    driver = play(load(slug), bots, seed, faults)
    record = driver.log([SeatInfo(f"bot{seat}", "") for seat in range(driver.seats)])
    scenes = importlib.import_module(f"games.{slug}.story").tell(record)
    return record, [
        (
            scene.title % scene.values,
            [(line.seat, line.step, line.text % line.values) for line in scene.lines],
        )
        for scene in scenes
    ]


def test_coup_is_told_turn_by_turn_from_the_deal_to_the_last_card():
    calls = iter(["T", "p", "\n", "T", "q", "$", "_", "\n", "E", "p", "\n", "A", "s", "q"])

    def writer(request):
        text = next(calls, request.view.args[3])
        return {"appended": text, "stdout": request.view.args[2][:1] if request.step == 10 else ""}

    record, scenes = told("coup", [writer] * 2, 38)  # seat 0 is dealt ~!, seat 1 $$
    assert scenes[:4] == [
        ("The deal", [(0, None, "is dealt Ambassador and Contessa"), (1, None, "is dealt Duke and Duke")]),
        (
            "turn 1, coins: 1 against 1",
            [
                (0, 0, "claims the Duke, to tax: 3 coins"),
                (1, 1, "lets it pass"),
                (0, 2, "gets the coins: 3 more"),
            ],
        ),
        (
            "turn 2, coins: 1 against 4",
            [
                (1, 3, "claims the Duke, to tax: 3 coins"),
                (0, 4, "does not believe it and challenges"),
                (1, 5, "shows the Duke and draws a new card"),
                (0, 6, "gives up the Ambassador"),
                (1, 7, "gets the coins: 3 more"),
            ],
        ),
        (
            "turn 3, coins: 4 against 4",
            [
                (0, 8, "claims the Ambassador, to exchange cards"),
                (1, 9, "lets it pass"),
                (0, 10, "looks at two cards of the deck and keeps 1"),
            ],
        ),
    ]
    assert [ask for _, lines in scenes[1:] for _, ask, _ in lines] == list(range(len(record.exchanges)))


def test_samurai_is_told_turn_by_turn_with_the_points_after_each_battle():
    lines = ["1 1 2 3 1", "5 5"]
    _, scenes = told("samurai", [lambda request: lines[request.step % 2]] * 4)
    assert [title for title, _ in scenes[:3]] == ["The lords", "Turn 1, day", "Turn 2, night"]
    assert scenes[2][1] == [(seat, 1, "negotiates with lord 5 ×2") for seat in range(4)]
    battles = [(seat, None, "stands at 0 points after the battle") for seat in range(4)]
    assert [number for number, (_, told_lines) in enumerate(scenes) if told_lines[4:] == battles] == [5, 9]
    assert len(scenes) == 10


def test_points_of_samurai_and_language_survival_are_mixed_numbers_with_a_minus_sign():
    day, nights = ["0 0 0 0 0", "2 3 4 5 1"], ["0 0", "1 1", "5 5", "5 5"]
    bots = [
        lambda request, seat=seat: nights[seat] if request.step % 2 else day[seat // 2] for seat in range(4)
    ]
    _, scenes = told("samurai", bots)
    points = ["−6 1/2", "−6 1/2", "6 1/2", "6 1/2"]
    assert [text for _, _, text in scenes[5][1][4:]] == [
        f"stands at {point} points after the battle" for point in points
    ]
    _, scenes = told("language_survival", bots)
    points = ["−10 1/2", "−2 1/2", "6 1/2", "6 1/2"]
    assert [text for _, _, text in scenes[-1][1]] == [f"ends with {point} points" for point in points]


def test_language_survival_is_told_turn_by_turn_and_ends_with_the_points():
    lines = ["1 1 2 3 1", "5 5"]
    record, scenes = told("language_survival", [lambda request: lines[request.step % 2]] * 4)
    assert len(scenes) == 11
    assert scenes[0][0] == "The languages"
    assert scenes[1] == (
        "Turn 1, weekday",
        [(seat, 0, "speaks for language 1 ×3, 2, 3") for seat in range(4)],
    )
    assert scenes[2] == ("Turn 2, holiday", [(seat, 1, "speaks for language 5 ×2") for seat in range(4)])
    assert scenes[-1] == ("The reckoning", [(seat, None, "ends with 0 points") for seat in range(4)])
    assert record.scores == ("0",) * 4


def test_honest_rps_is_told_round_by_round_with_kept_and_broken_words():
    honest, liar = (lambda request: "R"), (lambda request: "PS"[request.step % 2])
    _, scenes = told("honest_rps", [honest, liar])
    assert len(scenes) == 250
    assert scenes[1] == (
        "Round 2: 6 to 0 points",
        [
            (0, 2, "claims rock"),
            (1, 2, "claims paper"),
            (0, 3, "throws rock, as claimed"),
            (1, 3, "throws scissors"),
        ],
    )


def test_honest_rps_tells_the_rounds_that_were_played_and_what_was_said_in_one_that_a_fault_ended():
    _, scenes = told(
        "honest_rps",
        [lambda request: "R"] * 2,
        faults={(5, 1): FaultCause(FaultKind.CRASH, said("it ended"))},
    )
    assert [title for title, _ in scenes] == [
        "Round 1: 2 to 2 points",
        "Round 2: 4 to 4 points",
        "Round 3, which was not finished",
    ]
    assert scenes[2][1] == [
        (0, 4, "claims rock in round 3"),
        (1, 4, "claims rock in round 3"),
        (0, 5, "throws rock in round 3"),
    ]


def test_camel_up_is_told_round_by_round_with_rolls_traps_and_bets():
    first = ["[1, 1, 3]", "[2, 4]", "[1, -1, 9]", "[4, 2]", "[3, 0]"]
    record, scenes = told("camel_up", [lambda r: first[r.step] if r.step < len(first) else "[0]"] * 4, seed=4)
    start = "; ".join(f"{at}: {', '.join(map(str, stack))}" for at, stack in record.frames[0]["track"])
    assert scenes[0] == ("The start", [(None, None, f"camels by square, from the bottom up: {start}")])
    title, lines = scenes[1]
    assert title == "Round 1"
    assert lines[:5] == [
        (0, 0, "lays a trap on square 3: one further"),
        (1, 1, "bets on camel 4 to win the round"),
        (2, 2, "lays a trap on square 9: one back"),
        (3, 3, "bets on camel 2 to come last"),
        (0, 4, "bets on camel 0 to win the game"),
    ]
    texts = [line for _, lines in scenes for line in lines]
    rolled = [frame for frame in record.frames if "rolled" in frame]
    assert sum("rolls: camel" in text for _, _, text in texts) == len(rolled)
    caught = [frame["rolled"][2] for frame in rolled if frame["rolled"][2] is not None]
    assert caught
    assert [seat for seat, _, text in texts if text == "earns a coin from the trap"] == caught
    assert sum(text.startswith("the round ends: camel") for _, _, text in texts) == len(scenes) - 2
    assert {ask for _, ask, _ in texts if ask is not None} == set(range(len(record.exchanges)))
    title, lines = scenes[-1]
    assert title == "The end"
    assert lines[-4:] == [
        (seat, None, f"ends with {score} coins") for seat, score in enumerate(record.scores)
    ]


def test_camel_up_tells_which_bet_earned_what():
    """Seed 4: camel 2 wins both; the coins of each seat are those that its rolls, traps and bets earned."""
    first = ["[2, 2]", "[2, 2]", "[2, 4]", "[4, 2]", "[3, 2]", "[3, 2]", "[4, 3]"]
    record, scenes = told("camel_up", [lambda r: first[r.step] if r.step < len(first) else "[0]"] * 4, seed=4)
    lines = [line for _, lines in scenes for line in lines]
    earned = [2] * 4
    for seat, _, text in lines:
        if text.startswith(("rolls", "earns")):
            earned[seat] += 1
        elif text.startswith("gets"):
            earned[seat] += int(text.split()[1].replace("a", "1"))
        elif text.startswith("loses"):
            earned[seat] -= 1
    assert earned == [int(score) for score in record.scores]
    first_round = record.frames[next(n for n, frame in enumerate(record.frames) if "round" in frame)]["round"]
    paid = [(seat, text) for seat, _, text in scenes[1][1] if "bet on the round" in text]
    five_coins, three_coins, one_coin = "gets 5 coins", "gets 3 coins", "gets a coin"
    right = {first_round[0]: [five_coins, three_coins], first_round[1]: [one_coin, one_coin]}
    wanted = []
    for seat, camel in enumerate((2, 2, 4)):
        got = right[camel].pop(0) if camel in right else "loses a coin"
        wanted.append((seat, f"{got}: camel {camel}, bet on the round"))
    assert paid == wanted
    assert sum("bet on the winner" in text or "bet on the last" in text for _, _, text in scenes[-1][1]) == 4
