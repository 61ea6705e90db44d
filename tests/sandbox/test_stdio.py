"""A bot that plays a whole match over lines, in both backends."""

import itertools
from dataclasses import replace

import pytest

from sandbox.api import Failed, Limits
from sandbox.boxes.channel import await_lines, exchange
from sandbox.reason_texts import english

ECHO = """
    import sys
    for line in sys.stdin:
        print(line.strip()[::-1], flush=True)
"""


def ask(process, text=b"go\n", seconds=20.0):
    return exchange({0: (process, text, seconds)})[0]


def failure(answer):
    assert isinstance(answer, Failed), answer
    return answer.kind, english(answer.reason)


def test_a_bot_answers_each_line(session):
    process = session(ECHO).start()
    assert ask(process, b"hello\n").text == b"olleh"
    assert ask(process, b"again\n").text == b"niaga"


def test_a_bot_started_by_exec_answers_as_one_forked_from_the_warm_interpreter(session):
    assert ask(session(ECHO, warm=False).start(), b"hello\n").text == b"olleh"


@pytest.mark.compilers
def test_a_compiled_bot_answers(opened, compiled):
    artifact = compiled("""
        #include <stdio.h>
        int main(void) {
            int a, b;
            while (scanf("%d %d", &a, &b) == 2) { printf("%d\\n", a + b); fflush(stdout); }
        }
    """)
    process = opened(artifact).session().start()
    assert ask(process, b"20 22\n").text == b"42"


def test_all_seats_are_asked_before_any_is_awaited(opened, artifacts):
    artifact = artifacts(ECHO)
    seats = {seat: opened(artifact).session().start() for seat in range(3)}
    answers = exchange({seat: (process, b"seat%d\n" % seat, 20.0) for seat, process in seats.items()})
    assert {seat: answer.text for seat, answer in answers.items()} == {0: b"0taes", 1: b"1taes", 2: b"2taes"}


def test_the_times_of_an_answer_are_reported(session):
    process = session("""
        import sys, time
        for line in sys.stdin:
            end = time.process_time() + 0.05
            while time.process_time() < end: pass
            print("done", flush=True)
    """).start()
    times = ask(process).times
    assert times.wall_us >= times.charged_us >= 40_000
    assert times.cpu_us >= 40_000


def test_ready_and_what_follows_it_at_once_are_two_lines(session):
    process = session("print('READY\\nsecond', flush=True); input()").start()
    assert await_lines({"a": (process, 20.0)})["a"].text == b"READY"
    assert await_lines({"a": (process, 20.0)})["a"].text == b"second"


def test_output_before_the_question_is_dropped(session):
    process = session("""
        print("early\\ntoo early", flush=True)
        input()
        print("asked", flush=True)
        input()
    """).start()
    assert await_lines({0: (process, 20.0)})[0].text == b"early"
    assert ask(process).text == b"asked"


def test_an_exit_after_the_last_answer_is_no_failure_until_asked_again(session):
    process = session("print(input(), flush=True); raise SystemExit(3)").start()
    assert ask(process, b"last\n").text == b"last"
    assert failure(ask(process)) == ("crash", "exited with status 3")
    assert failure(ask(process)) == ("crash", "exited with status 3")


def test_an_answer_without_a_newline_counts_when_the_bot_exits(session):
    process = session("input(); print('unfinished', end='')").start()
    assert ask(process).text == b"unfinished"


def test_the_signal_that_killed_a_bot_is_named(session):
    process = session("import os, signal; input(); os.kill(os.getpid(), signal.SIGSEGV)").start()
    assert failure(ask(process)) == ("crash", "killed by signal 11 (SIGSEGV)")


def test_a_bot_that_closes_its_output_but_lives_has_crashed(session):
    process = session("import os, time; os.close(1); time.sleep(60)").start()
    assert failure(ask(process)) == ("crash", "closed its standard output")


def test_a_bot_that_takes_long_to_end_has_exited(session):
    """As one does on a busy host, where its reason must not become another one."""
    process = session("""
        import os, time
        input()
        os.close(1)
        end = time.process_time() + 0.4
        while time.process_time() < end: pass
        os._exit(3)
    """).start()
    assert failure(ask(process)) == ("crash", "exited with status 3")


def test_a_bot_that_exits_while_its_child_holds_the_output_has_crashed(session):
    process = session("""
        import os, time
        input()
        if os.fork(): os._exit(7)
        time.sleep(60)
    """).start()
    assert failure(ask(process, seconds=1.0)) == ("crash", "exited with status 7")


def test_a_bot_that_never_reads_does_not_hold_up_the_referee(session):
    process = session("import time; time.sleep(60)").start()
    assert failure(ask(process, b"x" * 1_000_000 + b"\n", 0.2))[0] == "timeout"


def test_a_bot_that_reads_a_megabyte_slowly_gets_all_of_it(session):
    process = session("""
        import sys
        got = 0
        while got < 1_000_001:
            got += len(sys.stdin.buffer.read1(1000))
        print(got, flush=True)
    """).start()
    assert ask(process, b"x" * 1_000_000 + b"\n").text == b"1000001"


def test_a_line_without_end_is_cut(session):
    process = session("input(); print('y' * 100_000, flush=True); print(input(), flush=True)").start()
    assert ask(process).text == b"y" * 65536
    assert ask(process, b"next\n").text == b"next"


def test_too_much_output_in_a_match_is_a_flood(session):
    process = session("while input(): print('z' * 9000, flush=True)", Limits(output_bytes=20_000)).start()
    assert ask(process).text == ask(process).text == b"z" * 9000
    assert failure(ask(process)) == ("flood", "wrote more than 19 KiB to its standard output")


def test_a_half_line_at_the_limit_is_shown(session):
    process = session("import time; print('hal', end='', flush=True); time.sleep(60)").start()
    answer = ask(process, seconds=0.2)
    assert failure(answer) == ("timeout", "gave no answer within 0.2 s")
    assert answer.rest in (b"hal", b"")  # what came before it was asked is dropped


def test_closing_the_input_is_seen_as_its_end(session):
    process = session("import sys; print(len(sys.stdin.read()), flush=True); input()").start()
    process.close_input()
    assert await_lines({0: (process, 20.0)})[0].text == b"0"


def test_standard_error_is_kept_and_cut_in_the_middle(session):
    bot = session("""
        import sys
        sys.stderr.write("first line\\n")
        for _ in range(3000): sys.stderr.write("." * 1000)
        sys.stderr.write("last line\\n")
        print("done", flush=True)
        input()
    """)
    assert await_lines({0: (bot.start(), 20.0)})[0].text == b"done"
    bot.close()
    assert bot.stderr.startswith(b"first line\n")
    assert bot.stderr.endswith(b"last line\n")
    assert b"bytes left out" in bot.stderr
    assert len(bot.stderr) < 70_000


def test_an_uncaught_exception_shows_file_and_line_of_the_bot_alone(opened, artifacts):
    bot = opened(artifacts("input()\nraise ValueError('here')\n")).session()
    assert failure(ask(bot.start())) == ("crash", "exited with status 1")
    bot.close()
    text = bot.stderr.decode()
    assert text.startswith(
        'Traceback (most recent call last):\n  File "/box/work/bot.py", line 2, in <module>'
    )
    assert text.endswith("ValueError: here\n")


def test_a_syntax_error_is_shown(opened, artifacts):
    bot = opened(artifacts("def broken(:\n")).session()
    assert failure(ask(bot.start())) == ("crash", "exited with status 1")
    bot.close()
    assert b'File "/box/work/bot.py", line 1' in bot.stderr
    assert b"SyntaxError" in bot.stderr


def test_a_forked_bot_is_what_python_would_have_made_of_it(session):
    process = session("""
        import atexit, sys
        import helper
        input()
        atexit.register(lambda: print("at exit"))
        main = sys.modules["__main__"].__dict__ is globals()
        print(__name__, __file__, sys.argv, helper.NAME, sys.path[0], main)
        exit("bye")
    """, helper_dot_py="NAME = 'mine'").start()  # fmt: skip
    expected = "__main__ /box/work/bot.py ['bot.py'] mine /box/work True"
    assert ask(process).text.decode() == expected
    assert await_lines({0: (process, 20.0)})[0].text == b"at exit"
    assert failure(ask(process)) == ("crash", "exited with status 1")


def test_a_module_of_the_bots_own_hides_one_of_the_same_name(session):
    process = session(
        "import json; input(); print(json.NAME, flush=True)", json_dot_py="NAME = 'mine'"
    ).start()
    assert ask(process).text == b"mine"


def test_files_and_folders_of_the_bot_are_in_its_work_folder(session):
    process = session("""
        import os, sys
        input()
        print(open("small.txt").read(), len(open("big.bin").read()), open("data/x.txt").read(), os.getcwd())
    """, small_dot_txt="s", big_dot_bin="b" * 300_000, data__x_dot_txt="deep").start()  # fmt: skip
    assert ask(process).text == b"s 300000 deep /box/work"


def test_small_files_that_would_fill_the_work_folder_are_linked(session):
    """990 files, each a byte too large for a page: copied, they would need more than 64 MiB."""
    files = {f"data{number}_dot_bin": b"x" * 65_537 for number in range(990)}
    process = session("""
        import os
        input()
        open("written", "wb").write(bytes(40 << 20))
        print(sum(os.path.getsize(f"data{number}.bin") for number in range(990)))
    """, **files).start()  # fmt: skip
    assert ask(process).text == b"64881630"


FULL = {f"f{number}": "" for number in range(4200)}  # a work folder holds 4,096 files and folders


def test_files_that_do_not_fit_into_the_work_folder_are_the_bots_fault(session, warm):
    process = session("input()", warm=warm, **FULL).start()
    kind, reason = failure(ask(process))
    assert kind == "crash"
    assert reason == "does not fit into its work folder: expected at most 64 MiB and 4,096 files in all"


def test_files_that_do_not_fit_into_the_work_folder_fail_a_program(session, warm):
    run = session("print('runs')", warm=warm, **FULL).run([], b"", 10.0)
    assert run.failed is not None
    assert (run.failed.kind, run.stdout) == ("crash", b"")
    assert english(run.failed.reason).startswith("does not fit into its work folder")


def test_a_bot_may_open_its_streams_by_path(session):
    process = session("open('/dev/stdout', 'w').write(open('/dev/stdin').readline())").start()
    assert ask(process, b"by path\n").text == b"by path"


def test_a_killed_bot_answers_no_more(session):
    process = session(ECHO).start()
    process.kill()
    assert failure(ask(process)) == ("crash", "was stopped")


def test_a_program_that_cannot_be_started_has_crashed(opened, artifacts):
    artifact = replace(artifacts("pass"), command=("./nothing",), python=None)
    process = opened(artifact).session().start()
    assert failure(ask(process)) == ("crash", "could not be started (./nothing): No such file or directory")


def test_standard_error_is_told_apart_by_ask_whether_answers_are_quick_or_not(session):
    bot = session("""
        import sys, time
        print("awake", file=sys.stderr, flush=True)
        for number, line in enumerate(sys.stdin):
            if number == 2: time.sleep(0.05)
            if number != 1: print("ask", number, file=sys.stderr, flush=True)
            print("answer", flush=True)
    """)
    process = bot.start()
    for _ in range(4):
        assert ask(process, b"x\n").text == b"answer"
    bot.close()
    starts = [*bot.stderr_at, len(bot.stderr)]
    told = [bot.stderr[start:end] for start, end in itertools.pairwise(starts)]
    assert bot.stderr[: starts[0]] in (b"", b"awake\n")  # it may be asked before it has written anything
    assert [part.removeprefix(b"awake\n") for part in told] == [b"ask 0\n", b"", b"ask 2\n", b"ask 3\n"]


def test_asks_of_a_bot_that_wrote_too_much_are_within_what_is_kept(session):
    bot = session("""
        import sys
        for line in sys.stdin:
            sys.stderr.write("." * 40_000 + "\\n"); sys.stderr.flush()
            print("answer", flush=True)
    """)
    process = bot.start()
    for _ in range(4):
        assert ask(process, b"x\n").text == b"answer"
    bot.close()
    assert list(bot.stderr_at) == sorted(bot.stderr_at)
    assert bot.stderr_at[0] == 0
    assert bot.stderr_at[1] == bot.stderr_at[2]  # both are in the part that was left out
    assert bot.stderr_at[3] <= len(bot.stderr)
