"""Bad bots in real boxes, in all five games: late, dead, hasty, wordless and in other bytes.

What lines are no move is tests/games/test_bad_input.py's; here is what only processes can do. The same
misdeed is done at the third ask of each game of lines by a program that was brought with its own command, so
that no adapter is between. Games of four are given four misdeeds a match, others two.
"""

import dataclasses

import pytest

from agon.contest.adapters import adapter_of
from agon.contest.arena import Player, box_limits, play
from agon.contest.reasons import from_sandbox
from games.core.manifest import load
from sandbox.boxes.pool import Pool
from sandbox.building.build import build
from sandbox.uploads.accept import pasted, read_upload
from tests.support.archives import make_zip
from tests.support.reasons import english
from tests.support.replays import differences_when_replayed

pytestmark = pytest.mark.slow

# How a program reads an ask, and what it answers when it behaves.
SPEAKERS = {
    "honest_rps": ("sys.stdin.readline()", "R"),
    "camel_up": ("sys.stdin.readline()", "[0]"),
    "samurai": (
        "[sys.stdin.readline() for _ in range(11 if turn == 0 else 8 + (turn + 1) % 2)]",
        "1 2 3 4 5",
    ),
}
SPEAKERS["language_survival"] = SPEAKERS["samurai"]
PROGRAM = """
import os, sys, time
def say(data):
    os.write(1, data)
{before}
say(b"READY\\n")
for turn in range(1000):
    asked = {ask}
    if not asked or not asked[0]:
        break
    if turn == 2:
        {misdeed}
    else:
        say(b"{answer}\\n")
"""
# By name: what is done instead of an answer, the fault's kind ("" for none) and words of its reason.
MISDEEDS = {
    "is late": ("time.sleep(60)", "timeout", "gave no answer within 0.4 s"),
    "never ends its line": (
        "say(b'{answer}'); time.sleep(60)",
        "timeout",
        "gave no answer within 0.4 s, got '{answer}' without a newline",
    ),
    "exits": ("sys.exit(3)", "crash", "exited with status 3"),
    "raises": ("raise ValueError('no')", "crash", "exited with status 1"),
    "is killed": ("os.kill(os.getpid(), 9)", "crash", "killed by signal 9 (SIGKILL)"),
    "closes its output": ("os.close(1); time.sleep(60)", "crash", "closed its standard output"),
    "answers itself twice": ("say(b'{answer}\\n'); say(b'what?\\n')", "", ""),
    "spins": ("all(number == 0 for number in iter(int, 1))", "timeout", "gave no answer within 0.4 s"),
    "ends its line with CRLF": ("say(b'{answer}\\r\\n')", "", ""),
    "says more than was asked": ("say(b'{answer}\\n' * 3)", "", ""),
    "answers in pieces": ("[say(b) or time.sleep(.01) for b in (b'{answer}', b' ', b'\\n')]", "", ""),
    "closes its errors": ("os.close(2); say(b'{answer}\\n')", "", ""),
}
READY = {
    "is not ready in time": (
        "time.sleep(60)",
        "expected a line READY within 400 ms of the start, got none",
    ),
    "says READY without a newline": (
        "say(b'READY'); time.sleep(60)",
        "got READY without a newline at its end",
    ),
    "says something else": ("say(b'hello'); time.sleep(60)", ", got 'hello' without a newline"),
    "ends before it is ready": ("sys.exit(3)", "; exited with status 3"),
}


# How a game is played is decided above the backends, and a container for each of these programs would take a
# minute. Matches over both channels on Docker are in test_languages.py, bad processes in tests/hostile.
ON_BUBBLEWRAP = pytest.mark.parametrize("sandbox", ["bubblewrap"], indirect=True, scope="module")


@pytest.fixture(scope="module")
def matched(sandbox, store):
    """Play one match of these programs (their texts, by seat) of one game."""
    pools = {}

    def artifact(info, text):
        files = {"bot.toml": b'run = "python3 bot.py"', "bot.py": text.encode()}
        program = info.channel == "program"
        source = pasted(text, "python") if program else read_upload("bot.zip", make_zip(files))
        built = build(source, sandbox, store, adapter_of(info))
        assert built.artifact is not None, built.log + english(from_sandbox(built.reason))
        return built.artifact

    def run(slug, *texts, **limits):
        info = load(slug)
        info = dataclasses.replace(info, limits=dataclasses.replace(info.limits, **limits))
        pool = pools.setdefault(slug, Pool(sandbox, box_limits(info)))
        played = play(
            info, [Player(f"bot{seat}", artifact(info, text)) for seat, text in enumerate(texts)], 1, pool
        )
        assert differences_when_replayed(played.log) == []
        return played.log

    yield run
    for pool in pools.values():
        pool.close()


def program(slug, misdeed="say(b'{answer}\\n')", before=""):
    ask, answer = SPEAKERS[slug]
    return PROGRAM.format(ask=ask, answer=answer, misdeed=misdeed.replace("{answer}", answer), before=before)


@pytest.mark.first(1)
@ON_BUBBLEWRAP
@pytest.mark.parametrize("slug", [*SPEAKERS, "coup"])
def test_good_programs_play_every_game_to_its_end(matched, slug):
    good = program(slug) if slug in SPEAKERS else GOOD
    record = matched(slug, *[good] * load(slug).max_seats)
    assert record.faults == ()
    assert len(record.ranks) == load(slug).max_seats


def at_once(names, slug):
    """As many of the names at a time as the game has seats."""
    seats, names = load(slug).max_seats, list(names)
    return [names[start : start + seats] for start in range(0, len(names), seats)]


def own_ask(slug, seat, number):
    """The ask of a game's record that is a seat's own `number`, both from 0."""
    return 4 * number + seat if slug == "camel_up" else number


def said_at(record, ask, seat):
    return next(
        exchange.reply for exchange in record.exchanges if (exchange.step, exchange.seat) == (ask, seat)
    )


@pytest.mark.first(1)
@ON_BUBBLEWRAP
@pytest.mark.parametrize("slug", SPEAKERS)
def test_what_processes_do_at_an_ask_is_their_fault_with_its_reason(matched, slug):
    for names in at_once(MISDEEDS, slug):
        record = matched(slug, *[program(slug, MISDEEDS[name][0]) for name in names], turn_ms=400)
        faults = {fault.seat: fault for fault in reversed(record.faults)}  # the first of each
        for seat, name in enumerate(names):
            _, kind, words = MISDEEDS[name]
            if not kind:
                assert seat not in faults, (name, faults)
                said = {exchange.reply.strip() for exchange in record.exchanges if exchange.seat == seat}
                assert said == {SPEAKERS[slug][1]}, name  # nothing that was not asked for is an answer
                continue
            assert faults[seat].kind == kind, (name, faults[seat])
            assert english(faults[seat].reason).endswith(words.replace("{answer}", SPEAKERS[slug][1]))
            assert faults[seat].step == own_ask(slug, seat, 2)
            assert english(faults[seat].reason).startswith(("round 2, claim: ", "turn "))


@pytest.mark.first(1)
@ON_BUBBLEWRAP
@pytest.mark.parametrize("slug", SPEAKERS)
def test_too_much_memory_is_told_as_such(matched, slug):
    greedy = program(slug, "held = bytearray(1 << 30)")
    record = matched(slug, greedy, *[program(slug)] * (load(slug).max_seats - 1), turn_ms=20_000)
    [fault] = record.faults
    # Where the kernel counts, the bot is killed; where each process has a limit, it gets a MemoryError.
    assert fault.kind in ("memory", "crash")
    assert english(fault.reason).endswith((": ran out of memory: 256 MiB", ": exited with status 1"))
    assert (fault.seat, fault.step) == (0, own_ask(slug, 0, 2))


# By name: how an answer gets longer than MOST, the longest that the game's manifest allows.
TOO_LONG = {
    "by a blank": "say(b'{answer}'.ljust(MOST + 1) + b'\\n')",
    "without an end": "[say(b'x' * 65536) for _ in range(100)]",
    "in pieces": "[say(b'{answer} ') or time.sleep(.001) for _ in range(MOST)]; say(b'\\n')",
    "up to its exit": "say(b'{answer}'.ljust(MOST + 1)); sys.exit(0)",
    "by bytes that are no text": "say(b'\\xff' * (MOST + 1) + b'\\n')",
    "by blanks before it": "say(b' ' * 65536 + b'{answer}\\n')",
}


@pytest.mark.first(1)
@ON_BUBBLEWRAP
@pytest.mark.parametrize("slug", SPEAKERS)
def test_an_answer_longer_than_the_game_needs_is_that_bots_flood(matched, slug):
    most = load(slug).limits.answer_bytes
    for names in at_once(TOO_LONG, slug):
        texts = [program(slug, TOO_LONG[name].replace("MOST", str(most))) for name in names]
        texts += [program(slug)] * (load(slug).max_seats - len(texts))
        record = matched(slug, *texts)
        assert [fault.seat for fault in record.faults] == list(range(len(names)))
        for fault in record.faults:
            assert (fault.kind, fault.step) == ("flood", own_ask(slug, fault.seat, 2)), names[fault.seat]
            assert f": gave an answer of more than {most:,} bytes, which begins '" in english(fault.reason)
            assert said_at(record, fault.step, fault.seat) is None, "nothing of it is kept"


@pytest.mark.first(1)
@ON_BUBBLEWRAP
@pytest.mark.parametrize("slug", SPEAKERS)
def test_the_longest_answer_is_one(matched, slug):
    most = load(slug).limits.answer_bytes
    padded = program(slug, f"say(b'{{answer}}'.ljust({most}) + b'\\n')")
    record = matched(slug, *[padded] * load(slug).max_seats)
    assert record.faults == ()
    assert said_at(record, own_ask(slug, 0, 2), 0) == SPEAKERS[slug][1].ljust(most)


@pytest.mark.first(1)
@ON_BUBBLEWRAP
@pytest.mark.parametrize("slug", SPEAKERS)
def test_a_line_that_is_ended_by_the_exit_alone_is_an_answer_and_the_next_ask_finds_nobody(matched, slug):
    hasty = program(slug, "say(b'{answer}'); sys.exit(0)")
    record = matched(slug, hasty, *[program(slug)] * (load(slug).max_seats - 1))
    assert said_at(record, own_ask(slug, 0, 2), 0) == SPEAKERS[slug][1]
    [fault] = record.faults
    assert (fault.seat, fault.kind, fault.step) == (0, "crash", own_ask(slug, 0, 3))
    assert english(fault.reason).endswith(": exited with status 0")


@pytest.mark.first(1)
@ON_BUBBLEWRAP
@pytest.mark.parametrize("slug", SPEAKERS)
def test_bytes_that_are_no_text_reach_the_game_escaped(matched, slug):
    odd = program(slug, "say(b'\\xff\\x00\\xc3(\\n')")
    record = matched(slug, odd, *[program(slug)] * (load(slug).max_seats - 1))
    assert said_at(record, own_ask(slug, 0, 2), 0) == "\\xff\x00\\xc3("
    if slug in ("honest_rps", "camel_up"):
        assert english(record.faults[0].reason).endswith(r", got '\\xff\x00\\xc3('")
    else:
        assert record.faults == ()
        assert record.frames[3]["picks"][0] == [0] * 5


@pytest.mark.first(1)
@ON_BUBBLEWRAP
@pytest.mark.parametrize("slug", SPEAKERS)
def test_bots_that_do_not_get_ready_are_told_what_was_expected(matched, slug):
    for names in at_once(READY, slug):
        record = matched(slug, *[program(slug, before=READY[name][0]) for name in names], ready_ms=400)
        assert [fault.kind for fault in record.faults] == ["start"] * len(names)
        for name, fault in zip(names, record.faults, strict=True):
            assert READY[name][1] in english(fault.reason)


# Coup: a program is run afresh for each move

MOVER = """
import os, sys
path, theirs, mine, cards, *moves = sys.argv[1:]
def append(data):
    with open(path, "ab") as history:
        history.write(data)
"""
GOOD = (
    MOVER
    + """
append(next(move for move in ("C", "p", "\\n", "I\\n", *moves) if move in moves).encode())
"""
)
# What a program does when its second turn begins, after "I\\nI\\n", and words of the reason.
EXPECTED = r"call 3: expected one of 'I\n' 'F' 'E' 'T' 'S' appended to the history file"
MOVES = {
    "append(b'\\xff')": EXPECTED + r", got '\\xff'",
    "append(b'\\0')": EXPECTED + r", got '\x00'",
    "append(b'I')": EXPECTED + ", got 'I'",
    "append(b'F\\n')": EXPECTED + r", got 'F\n'",
    "append(b'I\\r\\n')": EXPECTED + r", got 'I\r\n'",
    "append('\u0420'.encode())": EXPECTED + ", got '\u0420'",
    "print('I')": EXPECTED + ", got nothing",
    "os.truncate(path, 2)": EXPECTED + " and nothing else changed; what it held (4 bytes) is no longer there",
    "os.rename(path, path + '.old')": EXPECTED
    + " and nothing else changed; it is gone, no longer a regular file, or far too large",
    "append(b'I\\n'); raise ValueError": "call 3: exited with status 1",
    "append(b'I\\n'); os.write(1, b'x' * (5 << 20))": "call 3: wrote more than 1,024 KiB",
}


@pytest.mark.first(2)
@ON_BUBBLEWRAP
@pytest.mark.parametrize("misdeed", MOVES)
def test_what_a_program_does_to_the_history_is_told_with_what_was_expected(matched, misdeed):
    naughty = MOVER + f"if os.path.getsize(path) < 4: append(b'I\\n')\nelse:\n    {misdeed}\n"
    record = matched("coup", naughty, GOOD)
    [fault] = record.faults
    assert (fault.seat, fault.step, record.scores) == (0, 2, ("0", "1"))
    assert english(fault.reason).startswith(MOVES[misdeed])


@pytest.mark.first(1)
@ON_BUBBLEWRAP
@pytest.mark.parametrize(
    ("printed", "words"),
    [
        ("''", "got nothing"),
        ("cards", ", got '$$^*'"),
        ("'\\xff'.encode('latin1')", r"got '\\xff'"),
        ("cards[0] + ' ' + cards[1]", ", got '$ $'"),
    ],
)
def test_an_exchange_is_answered_by_cards_alone(matched, printed, words):
    naughty = (
        MOVER
        + f"""
if moves == ["\\n"]:
    append(b"\\n")
    said = {printed}
    os.write(1, said if isinstance(said, bytes) else said.encode())
else:
    append(b"E")
"""
    )
    record = matched("coup", naughty, GOOD)
    [fault] = record.faults
    assert (fault.seat, fault.kind, fault.step) == (0, "illegal", 2)
    assert english(fault.reason).startswith("call 3: expected 2 of the cards ")
    assert english(fault.reason).endswith(words)


@pytest.mark.exhaustive
@ON_BUBBLEWRAP
def test_what_a_program_leaves_running_cannot_write_into_the_game(matched):
    haunting = (
        MOVER
        + """
if "I\\n" in moves:
    if os.fork() == 0:
        os.setsid()
        while True:
            append(b"I\\n")
append(next(move for move in ("C", "p", "\\n", "I\\n", *moves) if move in moves).encode())
"""
    )
    record = matched("coup", haunting, GOOD)
    assert {fault.kind for fault in record.faults} <= {"illegal"}  # it may have written while it was its turn
    assert all(fault.seat == 0 for fault in record.faults)
