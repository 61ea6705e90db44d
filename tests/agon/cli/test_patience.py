"""What the platform fails at is tried again and costs no bot anything; a sandbox that is away is awaited."""

import re

import pytest

import agon.cli.workers
from agon.cli.retry import PAUSES, retry_sandbox
from agon.contest.arena import play
from agon.contest.platform_failure import PlatformFailure
from sandbox.api import MachineTooBusy, SandboxError


class Sandbox:
    """Fails as often as it is told to, then plays."""

    def __init__(self, failures):
        self.failures = failures
        self.asked = 0

    def __call__(self):
        self.asked += 1
        if self.asked <= self.failures:
            raise SandboxError(f"the engine is away ({self.asked})")
        return "played"


@pytest.mark.parametrize("failures", range(len(PAUSES) + 1))
def test_a_sandbox_that_comes_back_within_half_a_minute_is_waited_for(failures, capsys):
    slept = []
    assert retry_sandbox(Sandbox(failures), slept.append) == "played"
    assert slept == list(PAUSES[:failures]) == sorted(slept)
    assert sum(PAUSES) == 30
    said = "agon: the sandbox is failing (the engine is away (1)): retrying for up to 30 s\n"
    assert capsys.readouterr().err == (said if failures else "")


def test_a_sandbox_that_stays_away_is_given_up_in_words():
    slept, sandbox = [], Sandbox(99)
    words = re.escape("the engine is away (6) (tried 6 times within 30 s)")
    with pytest.raises(SandboxError, match=f"^{words}$"):
        retry_sandbox(sandbox, slept.append)
    assert (sandbox.asked, tuple(slept)) == (6, PAUSES)


def test_a_match_that_its_referee_breaks_down_in_is_void_and_the_others_are_played(
    agon, agon_here, with_bubblewrap, environment, monkeypatch, tmp_path
):
    monkeypatch.setitem(environment, "AGON_GAMES", str(tmp_path / "games"))
    assert agon("new-game", "mine").code == 0
    referee = tmp_path / "games/mine/referee.py"
    good = "    def play(self) -> Play:\n"
    assert good in referee.read_text()
    bad = f"{good}        if self.rng.random() < 0.5:\n            raise KeyError('broken')\n"
    referee.write_text(referee.read_text().replace(good, bad))
    ran = agon(
        "play", "mine", "Starter", "Climber", "--matches", 12, "--seed", 1, "--save", tmp_path / "a", "--json"
    )
    seeds = [match["seed"] for match in ran.json["matches"]]
    void = [seed - 1 for seed in range(1, 13) if seed not in seeds]
    assert ran.code == 3
    assert 0 < len(void) < 12
    assert ran.err.splitlines() == [
        *(
            f"agon: match {n} is void, through no fault of a bot: "
            "mine: referee.py, line 37, in play: KeyError: 'broken'"
            for n in void
        ),
        f"agon: {len(seeds)} of 12 matches were played and are saved in {tmp_path}/a; "
        f"{len(void)} {'are' if len(void) > 1 else 'is'} void",
    ]
    verified = agon_here("verify", tmp_path / "a", "--json")
    assert (verified.code, verified.json[0]["matches"]) == (0, len(seeds))


@pytest.mark.exhaustive
@pytest.mark.slow
def test_a_match_for_which_the_machine_is_too_busy_is_void_and_the_others_are_played(agon_here, monkeypatch):
    def play_unless_busy(info, players, seed, pool):
        if seed == 3:
            why = "the machine is too busy: a bot got 0.1 s of CPU time and waited 9 s for a processor"
            raise PlatformFailure(why) from MachineTooBusy(why)
        return play(info, players, seed, pool)

    monkeypatch.setattr(
        agon.cli.workers, "play", play_unless_busy
    )  # the workers are forked from this process
    ran = agon_here("play", "coup", "StarterPy", "Miser", "--matches", 4, "--seed", 1, "--json")
    assert ran.code == 3
    assert [match["seed"] for match in ran.json["matches"]] == [1, 2, 4]
    assert ran.err.splitlines() == [
        "agon: match 2 is void, through no fault of a bot: the machine is too busy: "
        "a bot got 0.1 s of CPU time and waited 9 s for a processor",
        "agon: 3 of 4 matches were played and are not saved; 1 is void",
    ]
