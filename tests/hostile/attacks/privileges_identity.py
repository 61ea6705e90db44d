"""Becomes another user, or root. Expect: held"""
import errno, os
from hostile import refused

def go():
    tries = [lambda name=name: getattr(os, name)(0) for name in ("setuid", "seteuid", "setgid", "setegid")]
    tries += [lambda: os.setresuid(0, 0, 0), lambda: os.setresgid(0, 0, 0), lambda: os.setgroups([0])]
    tries += [lambda: os.setuid(os.getuid() + 1), lambda: os.chown("bot.py", 0, 0)]
    said = refused(*tries, also={errno.EINVAL})  # ids that do not exist here
    return said + (" is root" if 0 in (*os.getresuid(), *os.getresgid()) else "")
