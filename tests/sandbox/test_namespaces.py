"""What the kernel says of a bot's namespaces: none that holds anything of the host's is shared with it."""

import os

from sandbox.api import Line
from tests.support.cpu_load import ask

TELL = """
    import os, sys
    for line in sys.stdin:
        print(os.readlink(f"/proc/self/ns/{line.strip()}"), flush=True)
"""
ROUTES = """
    input()
    with open("/proc/net/route") as ipv4, open("/proc/net/ipv6_route") as ipv6:
        devices = {line.split()[0] for line in ipv4.readlines()[1:]} | {line.split()[-1] for line in ipv6}
    print(devices - {"lo"}, flush=True)
"""


def test_a_bot_shares_no_namespace_with_the_worker(session):
    bot = session(TELL).start()
    for kind in ("ipc", "mnt", "net", "pid", "uts"):
        answer = ask(bot, f"{kind}\n".encode(), 60.0)
        assert isinstance(answer, Line), answer
        assert answer.text.startswith(f"{kind}:[".encode())
        assert answer.text != os.readlink(f"/proc/self/ns/{kind}").encode()


def test_the_only_network_of_a_bot_is_its_own_loopback(session):
    bot = session(ROUTES).start()
    answer = ask(bot, b"\n", 60.0)
    assert isinstance(answer, Line), answer
    assert answer.text == b"set()"
