"""What the end of a bot's output suggests to its author: an old program, an old Python, a limit.

Hints only explain a failure that is certain already, so it does not matter what a bot prints on purpose.
"""

import re
import sys

from sandbox.api import Limits
from sandbox.inside.setup import WORK
from sandbox.inside.workspace import INODES
from sandbox.reason import Reason

# Programs of older systems, and their replacements here.
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
_NO_MODULE = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_OWN_MODULE = re.compile(
    rf"partially initialized module '(\w+)'|from '(\w+)' \({re.escape(WORK)}/[\w/]+\.py\)"
)
_LAST = 600  # characters: the last lines of a traceback


def with_hint(reason: Reason, output: str, limits: Limits) -> Reason:
    """`reason`, followed by the hint that the end of `output` gives, if any."""
    suggested = hint(output, limits)
    return Reason("with_hint", reason=reason, hint=suggested) if suggested else reason


def hint(output: str, limits: Limits) -> Reason | None:
    """What the end of `output` suggests to its author; None if nothing."""
    end = output[-_LAST:]
    return _program(end) or _python_2(end) or _shadow(end) or _module(end) or _limit(end, limits)


def describe_memory(mib: int) -> Reason:
    """The reason of a bot that ran out of memory. mib: its limit."""
    return Reason("memory_limit", most=mib)


def describe_flood(most: int) -> Reason:
    """The reason of a bot that wrote too much. most: its limit, in bytes."""
    return Reason("output_limit", most=most >> 10)


def describe_full(limits: Limits) -> Reason:
    """The reason of a bot that has filled its work folder."""
    most = f"{limits.work_mib} MiB"
    return Reason("folder_full", most=most, files=INODES)


def _program(end: str) -> Reason | None:
    matched = _NO_PROGRAM.search(end)
    if not matched:
        return None
    return Reason("old_program", program=matched[1], other=_PROGRAMS[matched[1]])


def _python_2(end: str) -> Reason | None:
    for pattern in _PYTHON_2:
        if matched := pattern.search(end):
            ours = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
            return Reason("python_2_name", name=matched[1], ours=ours)
    return None


def _shadow(end: str) -> Reason | None:
    """A file of the bot that has the name of a module of Python's, and is imported in its place."""
    for matched in _OWN_MODULE.finditer(end):
        name = matched[1] or matched[2]
        if name in sys.stdlib_module_names:
            return Reason("shadows_module", name=name)
    return None


def _module(end: str) -> Reason | None:
    matched = _NO_MODULE.search(end)
    return Reason("module_missing", module=matched[1]) if matched else None


def _limit(end: str, limits: Limits) -> Reason | None:
    if "No space left on device" in end:
        return describe_full(limits)
    if "Too many open files" in end:
        return Reason("file_limit", most=limits.open_files)
    if "Resource temporarily unavailable" in end or "can't start new thread" in end:
        return Reason("process_limit", most=limits.processes)
    return None
