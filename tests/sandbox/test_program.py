"""A bot that is run afresh for each move, in both backends."""

import platform

import pytest

from sandbox.api import Limits
from sandbox.reason_texts import english

pytestmark = pytest.mark.slow

APPEND = """
    import sys
    with open(sys.argv[1], "a") as file:
        file.write("+" + sys.argv[2])
    print("said", sys.argv[3])
"""


def run(session, *args, file=b"", seconds=20.0):
    return session.run(args, file, seconds)


def failure(result):
    assert result.failed is not None, result
    return result.failed.kind, english(result.failed.reason)


@pytest.fixture
def session(program):
    return program


def test_a_run_gets_arguments_and_a_file_and_gives_output_and_the_file(session):
    result = run(session(APPEND), "one", "two", file=b"start")
    assert (result.failed, result.exit, result.stdout, result.file) == (None, 0, b"said two\n", b"start+one")


def test_a_report_that_is_longer_than_what_the_socket_holds_arrives(session):
    bot = session("import sys; open(sys.argv[1], 'a').write('x' * 3_000_000)")
    for _ in range(2):
        assert run(bot, file=b"start").file == b"start" + b"x" * 3_000_000


@pytest.mark.compilers
def test_a_compiled_program_is_run_likewise(opened, compiled):
    artifact = compiled("""
        #include <stdio.h>
        int main(int count, char **words) {
            fprintf(fopen(words[1], "a"), "+%s", words[2]);
            printf("%d", count);
        }
    """)
    result = run(opened(artifact).session(), "one", file=b"start")
    assert (result.failed, result.stdout, result.file) == (None, b"3", b"start+one")


def test_without_a_file_there_is_no_argument_for_it(session):
    result = session("import sys; print(sys.argv[1:])").run(["a"], None, 20.0)
    assert (result.stdout, result.file) == (b"['a']\n", None)


def test_the_file_has_one_path_for_the_whole_match_and_the_contents_given(session):
    bot = session("import sys; print(sys.argv[1], open(sys.argv[1]).read())")
    first, second = run(bot, file=b"long before"), run(bot, file=b"short")
    path = first.stdout.split()[0]
    assert first.stdout == path + b" long before\n"
    assert second.stdout == path + b" short\n"


def test_the_work_folder_lasts_for_the_match_and_no_longer(opened, artifacts, warm):
    box = opened(artifacts("import os; print(os.path.exists('note')); open('note', 'w')", warm))
    for _ in range(2):
        bot = box.session()
        assert [run(bot).stdout for _ in range(2)] == [b"False\n", b"True\n"]
        bot.close()


@pytest.mark.first(2)
@pytest.mark.parametrize(
    "mischief",
    [
        "os.unlink(path)",
        "os.unlink(path); os.symlink('/etc/passwd', path)",
        "os.unlink(path); os.mkdir(path)",
        "os.unlink(path); os.mkfifo(path)",
        "os.rename(os.path.dirname(path), '/box/elsewhere')",
        "os.unlink(path); os.rmdir(os.path.dirname(path)); os.symlink('/etc', os.path.dirname(path))",
    ],
)
def test_a_file_that_was_removed_is_none_and_exists_again_for_the_next_run(session, mischief):
    bot = session(f"""
        import os, sys
        path = sys.argv[1]
        if len(sys.argv) > 2:
            {mischief}
        else:
            print(open(path).read())
    """)
    result = run(bot, "now", file=b"history")
    assert (result.failed, result.file) == (None, None)
    assert run(bot, file=b"history").stdout == b"history\n"


def test_a_hard_link_to_the_file_is_not_written_through(session):
    bot = session("""
        import os, sys
        if len(sys.argv) > 2: os.link(sys.argv[1], "kept")
        else: print(open("kept").read(), open(sys.argv[1]).read())
    """)
    run(bot, "link", file=b"first")
    assert run(bot, file=b"second").stdout == b"first second\n"


def test_a_bot_that_fills_its_folder_has_crashed(session):
    bot = session("""
        try:
            with open("big", "wb", buffering=0) as file:
                while True: file.write(bytes(1 << 16))
        except OSError: pass
    """, Limits(work_mib=4))  # fmt: skip
    run(bot, file=b"x")
    assert failure(run(bot, file=b"x" * 9000)) == (
        "crash",
        "its work folder is full: at most 4 MiB and 4,096 files; the game's file could not be written",
    )


def test_a_nonzero_exit_is_a_crash_and_the_output_is_still_reported(session):
    result = run(session("print('so far'); raise SystemExit(4)"))
    assert failure(result) == ("crash", "exited with status 4")
    assert (result.exit, result.stdout) == (4, b"so far\n")


def test_a_run_that_does_not_end_is_stopped_at_its_limit(session):
    result = run(session("import time; print('waiting', flush=True); time.sleep(60)"), seconds=0.2)
    assert failure(result) == ("timeout", "did not end within 0.2 s")
    assert result.times.wall_us >= 200_000
    assert result.times.wall_us - result.times.wait_us < 800_000, "but for what it waited on a busy machine"


def test_too_much_output_in_all_runs_together_is_a_flood(session):
    bot = session("print('z' * 9000)", Limits(output_bytes=20_000))
    assert run(bot).failed is None
    assert run(bot).failed is None
    assert failure(run(bot)) == ("flood", "wrote more than 19 KiB to its standard output")


def test_endless_output_is_a_flood(session):
    assert failure(run(session("while True: print('z' * 1000)"), seconds=20))[0] == "flood"


def test_what_a_run_leaves_running_is_gone_before_the_next(session):
    bot = session("""
        import os, sys, time
        print(sum(name.isdigit() for name in os.listdir("/proc")))
        for _ in range(3):
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0: time.sleep(60)
                os._exit(0)
    """)
    counts = {run(bot).stdout for _ in range(4)}
    assert len(counts) == 1


@pytest.mark.skipif(platform.machine() != "x86_64", reason="calls by number")
def test_a_sibling_is_refused_so_that_every_process_left_is_a_child(session):
    bot = session("""
        import ctypes, errno, os, signal, sys
        print(sorted(int(name) for name in os.listdir("/proc") if name.isdigit())[:-1])
        clone, flags = ctypes.c_long(56), ctypes.c_long(0x8000 | signal.SIGCHLD)  # CLONE_PARENT
        libc = ctypes.CDLL(None, use_errno=True)
        if (pid := libc.syscall(clone, flags, None, None, None, None)) == 0:
            while True: pass
        print(pid, ctypes.get_errno() == errno.EPERM)
    """)
    first, second = run(bot), run(bot)
    assert first.stdout == second.stdout
    assert first.stdout.splitlines()[-1] == b"-1 True"


@pytest.mark.first(1)
@pytest.mark.parametrize("number", ["SIGKILL", "SIGSTOP"])
def test_a_bot_that_signals_every_process_it_can_is_itself_too_late(session, number):
    bot = session(f"""
        import os, signal
        while True:
            try: os.kill(-1, signal.{number})
            except ProcessLookupError: pass
    """)
    for _ in range(2):
        assert failure(run(bot, seconds=0.3))[0] in ("timeout", "crash")


def test_an_end_that_is_seen_twice_is_reported_once(session):
    """It ends about when the worker takes its first sample, at a quarter of the limit."""
    bot = session("""
        import sys, time
        end = time.monotonic() + float(sys.argv[1])
        while time.monotonic() < end: pass
        sys.exit(1)
    """)
    for number in range(20):
        result = bot.run([str(0.02 + number / 500)], None, 0.3)
        assert failure(result)[0] in ("crash", "timeout")  # the start of Python is in that time
    bot.close()
    assert bot.box.alive


def test_a_bot_that_leaves_no_room_for_the_file_has_crashed_and_its_box_is_good(opened, artifacts, warm):
    box = opened(artifacts("""
        import os
        os.link("/box/game/file.txt", "/box/game/other")
        try:
            for number in range(10_000): os.mkdir(f"/box/tmp/{number}")
        except OSError: pass
    """, warm))  # fmt: skip
    bot = box.session()
    run(bot)
    full = "its work folder is full: at most 64 MiB and 4,096 files"
    assert failure(run(bot)) == ("crash", f"{full}; the game's file could not be written")
    bot.close()
    assert box.alive


def test_a_work_folder_that_was_made_a_link_is_not_followed(opened, artifacts):
    box = opened(artifacts("""
        import os
        print(os.getcwd(), os.path.exists("bot.py"))
        os.rename("/box/work", "/box/other")
        os.symlink("/proc/1/root", "/box/work")
    """))  # fmt: skip
    bot = box.session()
    assert [run(bot).stdout for _ in range(2)] == [b"/box/work True\n", b"/box/work False\n"]


@pytest.mark.compilers
def test_a_work_folder_that_a_compiled_bot_made_a_link_is_not_followed(opened, compiled):
    artifact = compiled("""
        #include <stdio.h>
        #include <unistd.h>
        int main() {
            rename("/box/work", "/box/other");
            symlink("/proc/1/root/usr", "/box/work");
        }
    """)
    bot = opened(artifact).session()
    assert run(bot).failed is None
    assert failure(run(bot)) == ("crash", "could not be started (./bot): No such file or directory")


def test_output_of_a_child_left_behind_does_not_hold_up_the_move(session):
    bot = session("""
        import os, time
        if os.fork() == 0: time.sleep(60)
        else: print("done", flush=True)
    """)
    result = run(bot)
    assert (result.failed, result.stdout) == (None, b"done\n")


def test_standard_error_of_all_runs_is_kept(session):
    bot = session("import sys; print('run', sys.argv[2], file=sys.stderr)")
    run(bot, "1")
    run(bot, "2")
    bot.close()
    assert bot.stderr == b"run 1\nrun 2\n"
    assert bot.stderr_at == (0, len(b"run 1\n"))


@pytest.mark.first(1)
def test_running_out_of_memory_is_reported_as_such(session):
    result = run(session("x = bytearray(1 << 30)\nfor i in range(0, 1 << 30, 4096): x[i] = 1"), seconds=20)
    assert failure(result) == ("memory", "ran out of memory: 256 MiB")


def test_a_bot_that_removes_its_work_folder_gets_an_empty_one(opened, artifacts):
    source = "import os, shutil; print(os.listdir()); shutil.rmtree('/box/work')"
    bot = opened(artifacts(source)).session()
    assert run(bot).stdout == b"['bot.py']\n"
    assert run(bot).stdout == b"[]\n"


@pytest.mark.compilers
def test_a_compiled_bot_that_removes_its_work_folder_cannot_be_started_again(opened, compiled):
    artifact = compiled('#include <unistd.h>\nint main() { unlink("bot"); chdir("/"); rmdir("/box/work"); }')
    bot = opened(artifact).session()
    assert run(bot).failed is None
    kind, reason = failure(run(bot))
    assert (kind, reason) == ("crash", "could not be started (./bot): No such file or directory")
