"""Every example in the help of a command for a site, and the recipe for GitHub Actions, do what they say."""

import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from django.db import connections

from agon.__main__ import COMMANDS
from agon.cli.examples import COMPETITION, EXAMPLES, OF_SITES, SITE
from agon.site.accounts.models import User
from agon.site.bots.models import Submission
from agon.site.bots.states import State
from agon.site.competitions.models import Competition
from agon.site.matches import leases, queueing
from agon.site.matches.models import Match
from agon.site.teams import services as teams
from tests.support.factories import activate, played

from .conftest import PROGRAM

pytestmark = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[4]
# Below, or where matches are played: test_by_program.py in the folders of comparisons and trials.
ELSEWHERE = {"challenge", "compare", "connect", "try"}
EVERY = [
    pytest.param(name, line, id=line, marks=[pytest.mark.exhaustive] if line in OF_SITES[name][1:] else [])
    for name in OF_SITES
    if name not in ELSEWHERE
    for line in OF_SITES[name]
]


@pytest.fixture
def cup(competition) -> Competition:
    Competition.objects.update(slug=COMPETITION)
    return Competition.objects.get()


@pytest.fixture
def ids(user, cup) -> dict[str, str]:
    """What the ids of the examples stand for."""
    teams.create("Quokkas", user)
    four = activate(user, cup, ["Ann", "Ben", "Cid", "Dot"])
    queueing.queue(cup, Match.Kind.LADDER, Match.Queue.BULK, four)
    match = leases.claim("host:core0:7")
    assert match is not None
    assert leases.finish(match, played(match))
    return {"42": str(four[0].pk), "1234": str(match.pk), "7": str(four[0].bot_id)}


@pytest.mark.parametrize(("command", "line"), EVERY)
def test_an_example_does_what_it_says(request, ids, live_server, token, tmp_path, command, line):
    run = request.getfixturevalue("logged_in" if command == "logout" else "signed_in")
    (tmp_path / "bot.py").write_bytes(PROGRAM)
    words = [ids.get(word, word) for word in shlex.split(line.partition(" > ")[0])[1:]]
    words = [word.replace(SITE, live_server.url).replace("bots/7", f"bots/{ids['7']}") for word in words]
    if command == "login":
        words.append("--token")  # test_command_line has the way with a person
    over = threading.Event()
    rejecting = threading.Thread(target=reject_until, args=[over])
    if "--wait" in words:
        rejecting.start()
    try:
        ran = run(*words, stdin=f"{token}\n", PATH=os.environ["PATH"], BROWSER="true")
    finally:
        over.set()
        if rejecting.ident is not None:
            rejecting.join()

    assert ran.code == ("--wait" in words), ran.err
    if "--json" in words:
        assert json.loads(ran.out)
    elif command not in ("login", "logout", "download", "watch"):
        assert ran.out
    if command == "download":
        assert any(tmp_path.glob("*match*")) or any((tmp_path / "records").iterdir())


@pytest.mark.parametrize("line", EXAMPLES["challenge"])
def test_an_example_challenges_a_bot(signed_in, user, line):
    rps = Competition.objects.create(slug="rps", game="honest_rps", title="RPS")
    ours, theirs = activate(user, rps, ["Ada"]) + activate(User.objects.create_user("bea"), rps, ["Bea"])
    ids = {"7": str(ours.bot_id), "8": str(theirs.bot_id)}
    ran = signed_in(*(ids.get(word, word) for word in shlex.split(line)[1:]))

    assert ran.code == 0, ran.err


def reject_until(over: threading.Event) -> None:
    """What a worker would do with the program, whenever it arrives."""
    while not over.wait(0.2):
        Submission.objects.filter(state=State.RECEIVED).update(state=State.REJECTED)
    connections.close_all()


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_shows_the_examples_and_the_exit_codes(agon, command):
    text = agon(command, "--help", COLUMNS="80").out

    assert all(f"    {line}\n" in text for line in EXAMPLES[command])
    assert "Exit codes: 0 done, 1 " in text
    assert max(map(len, text.splitlines())) <= 80


def complete(script: str, *words: str) -> set[str]:
    """What bash offers for the last of these words."""
    asked = f'COMP_WORDS=({shlex.join(words)}); COMP_CWORD={len(words) - 1}; _agon; echo "${{COMPREPLY[@]}}"'
    run = ["bash", "-c", f"{script}\n{asked}"]
    return set(subprocess.run(run, capture_output=True, text=True, check=True).stdout.split())


def test_bash_completes_commands_options_and_values(agon):
    script = agon("completion", "bash").out

    assert {"submit", "watch"} <= complete(script, "agon", "")
    assert complete(script, "agon", "sub") == {"submit"}
    assert complete(script, "agon", "submit", "--ch") == {"--check"}
    assert complete(script, "agon", "watch", "7", "--until", "") == {"active", "rated", "forever"}
    assert complete(script, "agon", "download", "rec") == {"record"}
    assert complete(script, "agon", "nonsense", "") == set()


# What is typed before the tabulator, and the line that it becomes.
TYPED = {
    "agon sub": "submit",
    "agon submit --ch": "submit --check",
    "agon watch 7 --until r": "watch 7 --until rated",
    "agon download rec": "download record",
    "agon nons": "nons",
}


@pytest.mark.first(2)
@pytest.mark.parametrize(("typed", "line"), TYPED.items())
@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes_what_is_typed(agon, tmp_path, typed, line):
    """In a terminal; `agon` is a function there that prints its arguments."""
    script = tmp_path / "agon.zsh"
    script.write_text(agon("completion", "zsh").out)
    leader, follower = pty.openpty()
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "dumb", "LANG": "C.UTF-8"},
        start_new_session=True,
    )
    os.close(follower)
    os.write(leader, f'agon() {{ print -r -- "<$*>" }}\nsource {script}\n{typed}\t\nexit\n'.encode())

    assert f"<{line}>" in read_to_end(leader)
    assert shell.wait(60) == 0


def read_to_end(leader: int) -> str:
    """What a terminal shows until its program ends."""
    output = b""
    while True:
        try:
            piece = os.read(leader, 4096)
        except OSError:  # how Linux says that nobody has it open
            piece = b""
        if not piece:
            os.close(leader)
            return output.decode()
        output += piece


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes_what_is_typed(agon, tmp_path):
    script = tmp_path / "agon.fish"
    script.write_text(agon("completion", "fish").out)

    def offered(typed: str) -> set[str]:
        run = ["fish", "--no-config", "-c", f"source {script}; complete -C {shlex.quote(typed)}"]
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "LANG": "C.UTF-8"}
        ran = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
        assert ran.stderr == ""
        return {line.partition("\t")[0] for line in ran.stdout.splitlines()}

    assert set(EXAMPLES) <= offered("agon ")
    assert offered("agon sub") == {"submit"}
    assert offered("agon submit --ch") == {"--check"}
    assert offered("agon watch 7 --until ") == {"active", "rated", "forever"}
    assert "record" in offered("agon download rec")


def test_an_unknown_shell_is_refused(agon):
    assert agon("completion", "tcsh").code == 2


@pytest.mark.parametrize(("state", "code"), [(State.ACTIVE, 0), (State.REJECTED, 1)])
def test_the_recipe_for_github_fails_the_job_on_a_rejection(cup, live_server, token, tmp_path, state, code):
    guide = (ROOT / "docs" / "guides" / "api.md").read_text()
    step = re.search(r"      - name: Enter the bot\n.*?        run: (.*?)\n", guide, re.DOTALL)
    assert step is not None
    (tmp_path / "bot.py").write_bytes(PROGRAM)
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "AGON_SITE": live_server.url,
        "AGON_TOKEN": token,
    }
    job = subprocess.Popen(["bash", "-e", "-c", step[1]], cwd=tmp_path, env=environment)
    while job.poll() is None:
        Submission.objects.filter(state=State.RECEIVED).update(state=state)
        try:
            job.wait(0.2)
        except subprocess.TimeoutExpired:
            continue

    assert job.returncode == code
    assert Submission.objects.get().bot.name == "My bot"
