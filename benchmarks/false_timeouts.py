"""Whether a loaded host makes bots lose by time-outs: matches of bots that use three fifths of their limit.

    python -m benchmarks.false_timeouts [MATCHES [LOAD]]

Each match is one session: of a process that is asked three times, or of a program that is run three times.
They are played on two cores beside LOAD (8) times as many processes that never rest, on every sandbox that
works here. Reported are false time-outs, by channel: those that would count at once, and those in doubt,
after which a match is played again. Now and then a bot sleeps or spins, and has to be stopped.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from sandbox import open_sandbox
from sandbox.api import Artifact, Box, Failed, Limits, SandboxError
from sandbox.boxes.channel import exchange

CORES = 2
LIMIT = 0.05  # seconds
ANSWERS = 3
HOG = "while kill -0 $PPID 2>/dev/null; do :; done"  # it does not outlive this process
STOPPED_EVERY = 50  # matches: then one sleeps, and one spins
BOT = """
import sys, time
def work(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until: pass
def answer(what):
    if what == "sleep": time.sleep(60)
    work(60 if what == "spin" else float(what))
if len(sys.argv) > 1: answer(sys.argv[1])
else:
    for line in sys.stdin:
        answer(line.strip())
        print("done", flush=True)
"""


def main(matches: int = 1000, load: int = 8) -> None:
    cores = sorted(os.sched_getaffinity(0))[:CORES]
    os.sched_setaffinity(0, cores)
    with tempfile.TemporaryDirectory(prefix="agon-bench-") as folder, spinning(load * len(cores)):
        bot = artifact(Path(folder))
        for name in ("bubblewrap", "docker"):
            try:
                report(name, tried(name, bot, matches))
            except SandboxError as error:
                print(f"{name}: {error}")


def tried(name: str, bot: Artifact, matches: int) -> Counter[str]:
    """How often what happened."""
    seen: Counter[str] = Counter()
    with closing(open_sandbox(name)) as sandbox, closing(sandbox.open(bot, Limits())) as box:
        for match in range(matches):
            channel = ("stdio", "program")[match % 2]
            for failed in play(box, channel, str(0.6 * LIMIT), ANSWERS):
                seen[f"{channel}: answers"] += 1
                if failed is not None:
                    kind = "in doubt" if failed.doubtful else "FALSE"
                    seen[f"{channel}: {failed.kind}, {kind}"] += 1
            if match % STOPPED_EVERY < 4:
                what = ("sleep", "spin")[match % STOPPED_EVERY // 2]
                [stopped] = play(box, channel, what, 1)
                verdict = "NOT STOPPED" if stopped is None else "in doubt" if stopped.doubtful else "stopped"
                seen[f"{channel}: {what}: {verdict}"] += 1
    return seen


def play(box: Box, channel: str, what: str, answers: int) -> Iterator[Failed | None]:
    """Every answer of one session: None, or how it failed."""
    with closing(box.session()) as session:
        if channel == "program":
            for _ in range(answers):
                yield session.run([what], None, LIMIT).failed
            return
        process = session.start()
        exchange({0: (process, b"0\n", 60.0)})  # the start of an interpreter has a limit of its own
        for _ in range(answers):
            answer = exchange({0: (process, what.encode() + b"\n", LIMIT)})[0]
            yield answer if isinstance(answer, Failed) else None
            if isinstance(answer, Failed):
                return


def report(name: str, seen: Counter[str]) -> None:
    print(f"{name}, load {os.getloadavg()[0]:.0f}")
    for what, often in sorted(seen.items()):
        print(f"    {what}: {often}", flush=True)


def artifact(folder: Path) -> Artifact:
    folder.chmod(0o755)
    (folder / "files").mkdir()
    (folder / "files" / "bot.py").write_text(BOT)
    return Artifact(folder, "0" * 64, "python", ("python3", "bot.py"), "bot.py")


@contextmanager
def spinning(processes: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(processes):
            hog = subprocess.Popen(["sh", "-c", HOG], start_new_session=True)
            stack.callback(hog.wait)
            stack.callback(hog.kill)
        yield


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
