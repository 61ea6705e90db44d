"""What a bot's last words suggest to its author. The words are those of the programs, as they print them."""

import pytest

from sandbox.api import Limits
from sandbox.hints import hint
from sandbox.reason_texts import english

LIMITS = Limits(memory_mib=100, processes=7, work_mib=3, open_files=9)


@pytest.mark.parametrize(
    ("output", "suggested"),
    [
        ("run.sh: line 2: php5: command not found\n", "there is no php5 here, use php"),
        ("compile.sh: line 3: dmcs: command not found\n", "there is no dmcs here, use mcs"),
        ("sh: 1: python2: not found\n", "there is no python2 here, use python3"),
        ("run.sh: 1: exec: python: not found\n", "there is no python here, use python3"),
        (
            "/usr/bin/env: ‘python2.7’: No such file or directory\n",
            "there is no python2.7 here, use python3",
        ),
        (
            "could not be started (php5 bot.php): No such file or directory",
            "there is no php5 here, use php",
        ),
        (
            "could not be started (/usr/bin/python2 a.py): No such file or directory",
            "there is no python2 here, use python3",
        ),
        ("NameError: name 'raw_input' is not defined\n", "raw_input is Python 2; Agon runs Python 3.11"),
        (
            "NameError: name 'xrange' is not defined. Did you mean: 'range'?\n",
            "xrange is Python 2; Agon runs Python 3.11",
        ),
        ("ModuleNotFoundError: No module named 'Queue'\n", "Queue is Python 2; Agon runs Python 3.11"),
        (
            "AttributeError: 'dict' object has no attribute 'has_key'\n",
            "has_key is Python 2; Agon runs Python 3.11",
        ),
        (
            "ModuleNotFoundError: No module named 'torch'\n",
            "there is no module torch here; Python has its standard library and numpy, and an upload may "
            "contain more",
        ),
        (
            "AttributeError: partially initialized module 'random' has no attribute 'random' (most likely "
            "due to a circular import)\n",
            "the upload's file random.py is imported in place of Python's module random; give it "
            "another name",
        ),
        (
            "ImportError: cannot import name 'deque' from 'collections' (/box/work/collections.py)\n",
            "the upload's file collections.py is imported in place of Python's module collections; give it "
            "another name",
        ),
        (
            "OSError: [Errno 28] No space left on device: 'x'\n",
            "its work folder is full: at most 3 MiB and 4,096 files",
        ),
        ("OSError: [Errno 24] Too many open files: 'x'\n", "a process may have 9 open files"),
        (
            "BlockingIOError: [Errno 11] Resource temporarily unavailable\n",
            "it may have 7 processes and threads at a time",
        ),
        ("RuntimeError: can't start new thread\n", "it may have 7 processes and threads at a time"),
    ],
)
def test_known_words_are_explained(output, suggested):
    suggestion = hint(f"something before\n{output}", LIMITS)
    assert suggestion is not None
    assert english(suggestion) == suggested


@pytest.mark.parametrize(
    "output",
    [
        "",
        "ValueError: no\n",
        "python3: can't open file '/box/work/bot.py': [Errno 2] No such file or directory\n",
        "FileNotFoundError: [Errno 2] No such file or directory: 'python'\n",
        "No such file: lib/python/x\n",
        "NameError: name 'x' is not defined\n",
        "NameError: name 'raw_input' is not defined\n" + "later\n" * 200,
    ],
)
def test_other_words_are_not(output):
    assert hint(output, LIMITS) is None
