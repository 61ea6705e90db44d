"""What is left when a worker is killed: nothing."""

import os
import select
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from tests.sandbox.boxes import BACKENDS

WORKER = """
    import sys
    from pathlib import Path
    from sandbox import open_sandbox
    from sandbox.api import Artifact, Limits
    from sandbox.channel import await_lines

    sandbox = open_sandbox(sys.argv[1])
    box = sandbox.open(Artifact(Path(sys.argv[2]), "x", "python", ("python3", "bot.py"), "bot.py"), Limits())
    process = box.session().start()
    await_lines({0: (process, 10.0)})
    if box.den.uids:
        print(*(line[1] for line in box.den.container.top()["Processes"]), flush=True)
    else:
        def family(pid):
            yield pid
            for task in Path(f"/proc/{pid}/task").iterdir():
                for child in (task / "children").read_text().split():
                    yield from family(child)
        print(*family(box.den.process.pid), flush=True)
    sys.stdin.read()
"""

BOT = """
    import os, time
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
    print("ready", flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("name", BACKENDS)
def test_when_a_worker_is_killed_no_process_of_its_boxes_is_left(name, artifacts):
    worker = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WORKER), name, artifacts(BOT).path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert worker.stdout is not None
    pids = [int(word) for word in worker.stdout.readline().split()]
    watched = [os.pidfd_open(pid) for pid in pids]
    assert len(watched) >= 4, "agent, keeper, bot and its child"
    worker.kill()
    worker.communicate()
    for fd in watched:
        poll = select.poll()
        poll.register(fd, select.POLLIN)
        assert poll.poll(5000), f"one of {pids} is still there"
        os.close(fd)


def test_when_a_worker_is_killed_its_group_is_removed_by_the_next(artifacts):
    from sandbox import cgroup, open_sandbox

    if not cgroup.available():
        pytest.skip("no cgroup can be made here")
    code = textwrap.dedent("""
        import os
        from sandbox import cgroup
        print(cgroup.make(1 << 26, 10).folders[0], flush=True)
        os._exit(0)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    left = Path(done.stdout.strip())
    assert left.is_dir()
    open_sandbox("bubblewrap").close()
    assert not left.exists()
