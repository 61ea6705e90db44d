"""Typical first mistakes in other languages than Python, and in Python where no box is needed to show them.

Reasons and outputs are those of real bots in real boxes.
"""

from pathlib import Path
from typing import NamedTuple

import pytest

from agon.advice.mistakes import Evidence, explain
from games.core.reason import Reason
from tests.support.reasons import english

BOTS = Path(__file__).parents[3] / "games" / "samurai" / "bots"
CRASHED = Reason("exited", status=1)
FAILED = Reason("build_failed", why=Reason("step_failed", command="sh build.sh", why=CRASHED))
SILENT = Reason("not_ready", ms=5000, got=Reason("got_none"))
SLOW = Reason("answer_too_slow", seconds=1)
ABORTED = Reason("killed", number=6, name="SIGABRT")
TRACE = 'Traceback (most recent call last):\n  File "/box/work/bot.py", line 2, in <module>\n    play()\n'
JAVA = "".join(
    f"\tat java.base/java.util.Scanner.{where})\n"
    for where in ("throwFor(Scanner.java:939", "next(Scanner.java:1594")
)
CHANGED = Reason("file_held_is_gone", count=2)
OVERWRITTEN = Reason("coup.file_changed", moves="'\\n'", change=CHANGED)


def syntax_error(line: int, said: str, source: str) -> Reason:
    return Reason("at_line", file="bot.py", line=line, problem=f"{said}: {source}", said=said)


def ended_before_ready(why: Reason) -> Reason:
    return Reason("ended_before_ready", ms=5000, why=why)


class Case(NamedTuple):
    """text: of the program, or a starter's file and two strings, the second in place of the first.

    line: the one to go to; 0 for none. says: words of the sentence. kind: build where it was not built.
    """

    language: str
    text: str | tuple[str, str, str]
    line: int
    says: str
    kind: str = "crash"
    reason: Reason = CRASHED
    output: str = ""
    channel: str = "stdio"

    def evidence(self) -> Evidence:
        text = self.text
        if not isinstance(text, str):
            file, right, wrong = text
            whole = (BOTS / file).read_text()
            assert right in whole
            text = whole.replace(right, wrong)
        if self.kind == "build":
            return Evidence.of_build(self.language, text, self.channel, self.reason, self.output)
        return Evidence(
            self.language,
            text,
            self.channel,
            self.kind,
            self.reason,
            output=self.output,
            reply={"changed": CHANGED.to_data()} if self.reason == OVERWRITTEN else "",
            cpu_share=0.01 if self.kind == "timeout" else None,
        )


UNTIED = 'int main() {\n  std::cin.tie(nullptr);\n  std::cout << "READY\\n";\n'

CASES = {
    "a code block of a chat, in Python": Case(
        "python",
        "```python\nimport sys\n```\n",
        1,
        "Line 1 is a Markdown code fence, not code.",
        "build",
        syntax_error(1, "invalid syntax", "```python"),
    ),
    "a code block of a chat, in Bash": Case(
        "bash",
        "\n```\necho READY\n```\n",
        2,
        "Line 2 is a Markdown code fence",
        "start",
        ended_before_ready(Reason("exited", status=127)),
    ),
    "quotes of an f-string inside it": Case(
        "python",
        'x = 1\nprint(f"{x["a"]}")\n',
        2,
        "another kind of quote inside the braces",
        "build",
        syntax_error(2, "f-string: expecting '}'", 'print(f"{x["a"]}")'),
    ),
    "an f-string with a backslash": Case(
        "python",
        'print(f"{chr(10)}{"\\n"}")\n',
        1,
        "Line 1 is not Python: f-string expression part cannot include a backslash.",
        "build",
        syntax_error(1, "f-string expression part cannot include a backslash", 'print(f"{chr(10)}{"\\n"}")'),
    ),
    "no main in C++": Case(
        "cpp",
        ("starter.cpp", "int main()", "int mian()"),
        1,
        "there is no function main",
        "build",
        FAILED,
        "bot.cpp: In function ‘int mian()’:\nbot.cpp:53:1: warning: no return statement\n"
        "/usr/bin/ld: /usr/lib/crt1.o: in function `_start':\n"
        "(.text+0x17): undefined reference to `main'\ncollect2: error: ld returned 1 exit status\n",
    ),
    "a function that is only declared": Case(
        "cpp",
        "int best(int);\nint main() {\n  return best(1);\n}\n",
        1,
        "best is declared, but defined nowhere",
        "build",
        FAILED,
        "/usr/bin/ld: /tmp/cc.o: in function `main':\nbot.cpp:(.text.startup+0x6): undefined reference to "
        "`best(int)'\ncollect2: error: ld returned 1 exit status\n",
    ),
    "a question mark of a compiler": Case(
        "cpp",
        "int main() {\n  int best = 1;\n  bset = 2;\n}\n",
        3,
        "did you mean ‘best’. Correct",
        "build",
        FAILED,
        "bot.cpp:3:3: error: ‘bset’ was not declared in this scope; did you mean ‘best’?\n",
    ),
    "a method with self": Case(
        "python",
        "class Bot:\n    def move(self, player, g):\n        return [0]\n",
        2,
        "calls move with 2 arguments and without self. Remove self.",
        "build",
        Reason("called_otherwise", path="bot.py", name="move", count=2, defined="move(self, player, g)"),
        "",
        "function",
    ),
    "no main in Java": Case(
        "java",
        ("Starter.java", "void main(", "void Main("),
        9,
        "Define it: public static void main(String[] args)",
        "start",
        ended_before_ready(CRASHED),
        "Error: Main method not found in class Starter, please define the main method as:\n"
        "   public static void main(String[] args)\n",
    ),
    "an exception of Java's library": Case(
        "java",
        (BOTS / "Starter.java").read_text(),
        44,
        "Line 44: InputMismatchException.",
        output=f'Exception in thread "main" java.util.InputMismatchException\n{JAVA}'
        "\tat Starter.main(Starter.java:44)\n",
    ),
    "an exception of C++": Case(
        "cpp",
        "int main() {}\n",
        0,
        "threw std::out_of_range (vector::_M_range_check)",
        reason=ABORTED,
        output="terminate called after throwing an instance of 'std::out_of_range'\n"
        "  what():  vector::_M_range_check\n",
    ),
    "an assertion of C": Case(
        "c",
        "#include <assert.h>\nint main(void) {\n  assert(0 > 1);\n}\n",
        3,
        "the assertion 0 > 1 is false",
        reason=ABORTED,
        output="bot: bot.c:3: main: Assertion `0 > 1' failed.\n",
    ),
    "another abort": Case(
        "c",
        "int main(void) {}\n",
        0,
        "aborted itself",
        reason=ABORTED,
        output="free(): invalid pointer\n",
    ),
    "a division by zero in C": Case(
        "c",
        "int main(void) {}\n",
        0,
        "divided a whole number by zero",
        reason=Reason("killed", number=8, name="SIGFPE"),
    ),
    "a null pointer before READY": Case(
        "c",
        "int main(void) {}\n",
        0,
        "invalid memory access",
        "start",
        ended_before_ready(Reason("killed", number=11, name="SIGSEGV")),
    ),
    "too many threads": Case(
        "python",
        "main()\n",
        0,
        "it may have 64 at a time. Start fewer.",
        reason=Reason(
            "with_hint",
            reason=Reason("killed", number=9, name="SIGKILL"),
            hint=Reason("process_limit", most=64),
        ),
    ),
    "an exception of one's own": Case(
        "python",
        "\nraise Oops(1)\n",
        2,
        "Line 2: Oops: bad.",
        output=f"{TRACE}Oops: bad\n",
    ),
    "an exit": Case(
        "python",
        "import sys\n\nsys.exit(1)\n",
        3,
        "Line 3: your program seems to end itself here, with status 1.",
    ),
    "a return from main": Case(
        "cpp",
        "int main() {\n  return 3;\n}\n",
        2,
        "with status 3",
        "start",
        ended_before_ready(Reason("exited", status=3)),
    ),
    "an exit after the move": Case(
        "python",
        "import sys\nsys.exit(3)\n",
        2,
        "has to end with status 0",
        reason=Reason("exited", status=3),
        channel="program",
    ),
    "an exit of a function": Case(
        "python",
        "def bot(a, b, c, d):\n    exit()\n",
        2,
        "return a move instead",
        reason=Reason("function_raised_at", error="SystemExit: None", file="bot.py", line=2),
        channel="function",
    ),
    "an end without a word": Case(
        "perl",
        "die_quietly();\n",
        0,
        "ended with status 2 and without a message",
        reason=Reason("exited", status=2),
    ),
    "the network": Case(
        "python",
        "\nurlopen(1)\n",
        2,
        "Line 2: a match has no network",
        output=f"{TRACE}urllib.error.URLError: <urlopen error [Errno -3] "
        "Temporary failure in name resolution>\n",
    ),
    "a file beside the bot's folder": Case(
        "python",
        "\nopen('/etc/x', 'w')\n",
        2,
        "Line 2: this file cannot be written",
        output=f"{TRACE}OSError: [Errno 30] Read-only file system: '/etc/x'\n",
    ),
    "a pause": Case(
        "python",
        "import time\ntime.sleep(100)\nprint(1, flush=True)\n",
        2,
        "and line 2 sleeps",
        "timeout",
        SLOW,
    ),
    "all input at once": Case(
        "python",
        "import sys\nprint('READY', flush=True)\nx = sys.stdin.read()\n",
        3,
        "Line 3: this reads until the input ends",
        "timeout",
        SLOW,
    ),
    "all input at once in JavaScript": Case(
        "javascript",
        "console.log('READY');\nconst x = fs.readFileSync(0);\n",
        2,
        "Read one line at a time",
        "timeout",
        SLOW,
    ),
    "output that nothing flushes in C++": Case(
        "cpp",
        f"{UNTIED}}}\n",
        3,
        "std::endl",
        "start",
        SILENT,
    ),
    "an answer that nothing flushes in C++": Case(
        "cpp",
        UNTIED.replace('READY\\n"', 'READY" << std::endl') + '  std::cout << 1 << "\\n";\n}\n',
        4,
        "std::endl",
        "timeout",
        SLOW,
    ),
    "printf in C++": Case(
        "cpp",
        'int main() {\n  puts("READY");\n}\n',
        2,
        "fflush(stdout);",
        "start",
        SILENT,
    ),
    "printf for a game of functions": Case(
        "c",
        'int main(void) {\n  puts("READY");\n}\n',
        2,
        "fflush(stdout);",
        "start",
        SILENT,
        channel="function",
    ),
    "one answer, and the end": Case(
        "cpp",
        "int main() {}\n",
        0,
        "in a loop",
        reason=Reason("exited", status=0),
        channel="function",
    ),
    "nothing but a greeting": Case(
        "bash",
        "echo hello\n",
        1,
        "Print it first, then read and answer in a loop.",
        "start",
        Reason("after_line", reason=ended_before_ready(Reason("exited", status=0)), line="'hello'"),
    ),
    "no READY in C++": Case(
        "cpp",
        "int main() {}\n",
        1,
        'for example with std::cout << "READY" << std::endl;',
        "start",
        SILENT,
        channel="function",
    ),
    "the history overwritten in Java": Case(
        "java",
        "Files.writeString(file, move);\n",
        0,
        "StandardOpenOption.APPEND",
        "illegal",
        OVERWRITTEN,
        channel="program",
    ),
    "the history overwritten in Go": Case(
        "go",
        "os.WriteFile(path, move, 0600)\n",
        0,
        "Append your move to what it holds",
        "illegal",
        OVERWRITTEN,
        channel="program",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_mistake_gets_a_sentence_that_says_what_to_do(name):
    case = CASES[name]
    advice = explain(case.evidence())
    assert advice is not None
    assert case.says in english(advice.sentence)
    assert advice.line == case.line


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("cpp", 'int main() {\n  std::cin.tie(0);\n  std::cout << "READY" << std::endl;\n}\n'),
        ("cpp", 'int main() {\n  std::cout << "READY\\n";\n}\n'),  # reading flushes it
        ("python", "import sys\nprint('READY', flush=True)\nsys.stdin.readline()\n"),
    ],
)
def test_a_program_that_flushes_and_reads_lines_is_told_to_compare_them(language, text):
    advice = explain(Case(language, text, 0, "", "timeout", SLOW).evidence())
    assert "reads more lines than it is sent" in english(advice.sentence)
