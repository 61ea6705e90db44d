"""Files put beside a bot that is no program by itself, and run in its main file's place."""

import dataclasses

import pytest

from sandbox.api import Limits, Line
from sandbox.boxes.channel import await_lines, exchange
from sandbox.boxes.host_load import HostLoad
from sandbox.building.adapter import Adapter, add_adapter
from sandbox.building.build import build
from sandbox.building.recipes import recipe
from sandbox.languages import registry
from sandbox.reason_texts import english
from sandbox.uploads.accept import BadUpload, pasted, read_upload
from tests.support.archives import make_zip
from tests.support.boxes import one_backend

ENTRY = b"""
import sys
import helper
print("READY", flush=True)
print(sys.argv[1:], helper.WORD, __import__(sys.argv[1].removesuffix(".py")).WORD, flush=True)
for line in sys.stdin:
    print(line.upper(), end="", flush=True)
"""
FILES = {"run_it.py": ENTRY, "helper.py": b"WORD = 'helper'\n"}
ADAPTER = Adapter("python", "run_it.py", FILES, 60.0, Limits())
BOT = "WORD = 'bot'\n"


@pytest.fixture
def said(sandbox, store):
    """The first line of a bot, and its answer to another."""

    def play(source):
        built = build(source, sandbox, store, ADAPTER)
        assert built.artifact is not None, english(built.reason)
        box = sandbox.open(built.artifact, Limits())
        try:
            session = box.session()
            process = session.start()
            await_lines({0: (process, 60.0)})  # READY
            first = await_lines({0: (process, 60.0)})[0]
            answer = exchange({0: (process, b"hello\n", 60.0)})[0]
            session.close()
            assert isinstance(first, Line), session.stderr
            assert isinstance(answer, Line), session.stderr
            return first.text, answer.text
        finally:
            box.close()

    return play


def test_the_entry_is_run_with_the_bots_file_as_its_argument(said):
    assert said(pasted(BOT, "python", "tit4tat.py")) == (b"['tit4tat.py'] helper bot", b"HELLO")


def test_it_is_run_alike_where_the_interpreter_cannot_be_kept_warm(said):
    # A bot named like a module that the warm interpreter has loaded gets a Python started afresh.
    assert said(pasted(BOT, "python", "json.py")) == (b"['json.py'] helper bot", b"HELLO")


@one_backend
def test_what_is_built_depends_on_the_adapter(sandbox, store):
    source = pasted(BOT, "python", "tit4tat.py")
    changed = dataclasses.replace(ADAPTER, files={"run_it.py": b"print('READY', flush=True)\n"})
    digests = {
        build(source, sandbox, store, adapter).artifact.digest
        for adapter in (None, ADAPTER, changed, ADAPTER)
    }
    assert len(digests) == 3


@one_backend
def test_a_mistake_is_reported_in_the_bots_own_file(sandbox, store):
    built = build(pasted("x = 1\nprint x\n", "python", "tit4tat.py"), sandbox, store, ADAPTER)
    assert built.artifact is None
    assert english(built.reason).startswith("tit4tat.py, line 2: print x is Python 2")
    assert built.log.strip() == english(built.reason)


def test_bots_in_other_languages_and_with_commands_of_their_own_stay_as_they_are():
    in_c = pasted("int main(void) { return 0; }", "c")
    own = read_upload("a.zip", make_zip({"bot.toml": 'run = "python3 a.py"', "a.py": BOT}))
    for source in (in_c, own):
        how = recipe(source)
        assert add_adapter(ADAPTER, source, how) == (source, how)


def test_a_name_that_the_adapter_needs_is_refused():
    source = read_upload("a.zip", make_zip({"bot.py": BOT, "helper.py": BOT}))
    with pytest.raises(BadUpload, match=r"a\.zip contains helper\.py: that name is for a file of Agon's own"):
        add_adapter(ADAPTER, source, recipe(source))


@pytest.mark.parametrize("upload", ["tit4tat.zip", "Tit4Tat.zip", "tit4tat.v2.zip"])
def test_a_main_file_may_be_called_like_the_upload(upload):
    source = read_upload(upload, make_zip({"tit4tat.py": BOT, "memory.py": BOT}))
    assert registry.detect(source)[1] == "tit4tat.py"


@one_backend
@pytest.mark.parametrize(
    ("entry", "load_s", "reason"),
    [
        ("print('bot.py: no such thing', flush=True); raise SystemExit(1)", 10, "bot.py: no such thing"),
        ("import os; os._exit(3)", 10, "while it was loaded, it exited with status 3"),
        ("bytearray(1 << 30)", 10, "while it was loaded, it ran out of memory: 256 MiB"),
        (
            "import sys, time; print('one\\ntwo', file=sys.stderr); time.sleep(60)",
            0.5,
            "loading took longer than 0.5 s; the last line that it printed: two",
        ),
        (
            "while True: print('still loading', flush=True)",
            10,
            "while it was loaded, it wrote more than 1,024 KiB",
        ),
    ],
)
def test_a_bot_that_cannot_be_loaded_is_refused_with_what_it_printed(sandbox, store, entry, load_s, reason):
    source = f"import sys\nprint('here', file=sys.stderr, flush=True)\n{entry}\n".encode()
    adapter = dataclasses.replace(ADAPTER, files={"run_it.py": source}, load_s=load_s)
    refused = build(pasted(BOT, "python", "tit4tat.py"), sandbox, store, adapter)
    assert refused.artifact is None
    assert english(refused.reason).startswith(reason)
    assert refused.log.startswith("here\n"), "and not with a command that its author has never seen"


@one_backend
@pytest.mark.parametrize("pressure", [False, True])
def test_a_bot_that_the_host_may_have_made_slow_is_waited_for(sandbox, store, monkeypatch, pressure):
    monkeypatch.setattr(HostLoad, "is_under_pressure", pressure)
    monkeypatch.setattr(HostLoad, "is_held_up", pressure)
    source = b"import time\nfor _ in range(600): time.sleep(0.001)\nprint('READY', flush=True)\n"
    adapter = dataclasses.replace(ADAPTER, files={"run_it.py": source}, load_s=0.3)
    built = build(pasted(BOT, "python", "tit4tat.py"), sandbox, store, adapter)
    assert (built.artifact is not None) == pressure
    assert english(built.reason).startswith("" if pressure else "loading took longer than 0.3 s")
