"""What the end of a bot's output suggests to its author: an old program, an old Python, a limit.

Hints only explain a failure that is certain already, so it does not matter what a bot prints on purpose.
"""

from __future__ import annotations

import re
import sys

from sandbox.api import Limits
from sandbox.inside.workspace import INODES

# Programs that older systems had, and what does the same here.
_PROGRAMS = {
    "php5": "php",
    "php7": "php",
    "dmcs": "mcs",
    "gmcs": "mcs",
    "python": "python3",
    "python2": "python3",
    "python2.6": "python3",
    "python2.7": "python3",
    "ruby1.8": "ruby",
    "ruby1.9.1": "ruby",
    "lua": "lua5.4",
    "lua5.1": "lua5.4",
    "luac": "luac5.4",
}
_NAMES = "|".join(map(re.escape, sorted(_PROGRAMS, key=len, reverse=True)))
_NO_PROGRAM = re.compile(rf"(?<![\w./-])(?:/\S*/)?({_NAMES})(?![\w.-])[^\n]*(?:not found|No such file)")
_NAMES_OF_2 = "raw_input|xrange|unicode|unichr|basestring|long|reduce|file|cmp|execfile|reload|izip|apply"
_MODULES_OF_2 = (
    "Queue|urllib2|urlparse|httplib|ConfigParser|cPickle|StringIO|cStringIO|sets|commands|Tkinter|copy_reg"
)
_ATTRIBUTES_OF_2 = "has_key|iteritems|itervalues|iterkeys|maxint|letters|maketrans|izip|imap"
_PYTHON_2 = (
    re.compile(rf"NameError: name '({_NAMES_OF_2})' is not defined"),
    re.compile(rf"No module named '?({_MODULES_OF_2})\b"),
    re.compile(rf"has no attribute '({_ATTRIBUTES_OF_2})'"),
    re.compile(r"cannot import name '(izip|imap|ifilter|izip_longest|maketrans|Set)'"),
)
_LAST = 600  # characters: the last lines of a traceback


def with_hint(reason: str, output: str, limits: Limits) -> str:
    """`reason`, and what the end of `output` suggests, where it suggests something."""
    suggested = hint(output, limits)
    return f"{reason}: {suggested}" if suggested else reason


def hint(output: str, limits: Limits) -> str:
    """What the end of `output` suggests to its author; "" if nothing."""
    end = output[-_LAST:]
    return _program(end) or _python_2(end) or _limit(end, limits)


def describe_memory(mib: int) -> str:
    return f"ran out of memory: {mib} MiB"


def describe_full(limits: Limits) -> str:
    return f"its work folder is full: at most {limits.work_mib} MiB and {INODES:,} files"


def _program(end: str) -> str:
    found = _NO_PROGRAM.search(end)
    return f"there is no {found[1]} here, use {_PROGRAMS[found[1]]}" if found else ""


def _python_2(end: str) -> str:
    for pattern in _PYTHON_2:
        if found := pattern.search(end):
            return f"{found[1]} is Python 2; Agon runs Python {sys.version_info[0]}.{sys.version_info[1]}"
    return ""


def _limit(end: str, limits: Limits) -> str:
    if "No space left on device" in end:
        return describe_full(limits)
    if "Too many open files" in end:
        return f"a process may have {limits.open_files} open files"
    if "Resource temporarily unavailable" in end or "can't start new thread" in end:
        return f"it may have {limits.processes} processes and threads at a time"
    return ""
