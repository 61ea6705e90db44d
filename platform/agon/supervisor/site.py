"""The steps from nothing to a running site, in order, and what is printed on the way.

The folder, the port, the sandbox and the database are checked before any process is started.
"""

import errno
import os
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from agon.resources import data_folder
from agon.site.core.disk_space import disk_shortage
from agon.site.core.setting_table import mistake
from agon.supervisor import folder
from agon.supervisor.children import scheduler, web, workers
from agon.supervisor.errors import StartupError
from agon.supervisor.host_failures import said_in_a_sentence
from agon.supervisor.supervisor import Supervisor


def run(host: str, port: int) -> None:
    """Run a site until a signal stops it. Raises StartupError if it cannot be started."""
    began = time.monotonic()
    if why := mistake(os.environ):
        raise StartupError(f"{why}.")
    var = data_folder()
    url = f"http://{address(host)}:{port}"
    export_settings(host, url, var)
    with said_in_a_sentence(var):
        lock = folder.claim(var, url)
    listening = listen(host, port)
    try:
        with said_in_a_sentence(var):
            # Only now: importing Django's settings writes into the folder that has just been claimed.
            from agon.supervisor.prepare import prepare

            password = prepare()
            unseen = [] if password is None else [password]
            others = addresses_elsewhere(port) if is_everywhere(host) else []
            try:
                serve(listening, var / "log", lambda: announce(url, unseen, time.monotonic() - began, others))
            finally:
                show_password(unseen)  # of a site that was stopped before it was ready
    finally:
        listening.close()
        os.close(lock)


def is_everywhere(host: str) -> bool:
    """Whether a site with this HOST listens on all addresses of this machine."""
    return host in ("", "0.0.0.0", "::")


def addresses_elsewhere(port: int) -> list[str]:
    """The addresses by which other machines are likely to reach this one; nothing is sent to find out."""
    urls = []
    for family, somewhere in ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")):
        with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((somewhere, 9))
            own = str(probe.getsockname()[0])
            urls.append(f"http://{address(own)}:{port}")
    return [url for url in urls if not url.startswith(("http://127.", "http://[::1]"))]


def address(host: str) -> str:
    """The host to use in URLs for a browser on this machine."""
    if is_everywhere(host):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def export_settings(host: str, url: str, var: Path) -> None:
    """Set the environment variables that Django and the child processes read. Keeps SITE_URL and
    ALLOWED_HOSTS if they are set.
    """
    os.environ["DJANGO_SETTINGS_MODULE"] = "agon.site.settings"
    os.environ["AGON_VAR"] = str(var)
    os.environ.setdefault("SITE_URL", url)
    if is_everywhere(host):  # other machines use host names that we cannot know
        os.environ.setdefault("ALLOWED_HOSTS", "*")


def listen(host: str, port: int) -> socket.socket:
    """A listening socket, which the web server inherits."""
    try:
        family, kind, protocol, _, where = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with ExitStack() as on_error:
            listening = on_error.enter_context(socket.socket(family, kind, protocol))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(where)
            listening.listen(2048)
            on_error.pop_all()
            return listening
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise StartupError(
                f"Port {port} on {host} is in use. Stop the program that uses it, or choose another port, "
                f"as in `PORT={port + 1} make run`."
            ) from error
        raise StartupError(f"Cannot listen on HOST={host} PORT={port}: {error.strerror or error}.") from error


def serve(listening: socket.socket, logs: Path, on_ready: Callable[[], None]) -> None:
    """Run the web server, the workers and the scheduler until a signal stops them."""
    ready, ready_writer = os.pipe()
    cores = sorted(os.sched_getaffinity(0))
    site = [
        web(listening.fileno(), ready_writer),
        *workers(cores, "build,interactive,chores,archives"),
        scheduler(),
    ]
    Supervisor(site, logs, ready, on_ready, disk_shortage).run()
    print("Stopped. `make run` continues where it left off.", flush=True)


def announce(url: str, unseen: list[str], seconds: float, elsewhere: Sequence[str]) -> None:
    """unseen: see `show_password`. elsewhere: how other machines reach it; [] if it does not listen on all
    addresses.
    """
    print(f"\n  Agon is at {url}   (ready after {seconds:.1f} s; Ctrl-C stops it)")
    if elsewhere:
        print(f"  It listens on all addresses of this machine; for others it is at {' or '.join(elsewhere)}")
        print("  If they do not reach it, a firewall between them and this machine keeps its port closed.")
    show_password(unseen)
    print(flush=True)


def show_password(unseen: list[str]) -> None:
    """Print the administrator's password, unless there is none or it was printed. Empties the list."""
    while unseen:
        password = unseen.pop()
        print(
            f"  Administrator: admin, password {password}   (shown only once; change it in the account menu)",
            flush=True,
        )
