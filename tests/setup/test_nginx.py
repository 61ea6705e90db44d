"""deploy/nginx.conf, with other names and ports, in front of a site: the real nginx, and a browser."""

import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest

from scripts import services
from tests.support.chromium import chromium
from tests.support.databases import migrated
from tests.support.processes import ROOT

pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("nginx"), reason="Debian's package nginx-light has nginx"),
]

MAIN = """
daemon off; {user} pid {folder}/pid; error_log stderr; worker_processes 1;
events {{ worker_connections 256; }}
http {{
    access_log off; include /etc/nginx/mime.types;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/f; uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
    {site}
}}
"""
PREPARE = """
import django
django.setup()
from agon.site.competitions.models import Competition
Competition.objects.create(slug="coup", game="coup", title="Coup")
"""


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of the site."""
    return tmp_path_factory.mktemp("log") / "log"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, store: Path, log: Path) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("nginx")
    folder.chmod(0o755)
    plain, secure, web = (services.free_port() for _ in range(3))
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    made = [
        "openssl",
        "req",
        "-x509",
        "-nodes",
        "-newkey",
        "rsa:2048",
        "-days",
        "1",
        "-subj",
        "/CN=localhost",
    ]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    site = (ROOT / "deploy" / "nginx.conf").read_text()
    for place, value in {
        "listen 80;": f"listen 127.0.0.1:{plain};",
        "listen 443 ": f"listen 127.0.0.1:{secure} ",
        "127.0.0.1:8000": f"127.0.0.1:{web}",
        "/etc/ssl/agon.example.org.pem": str(certificate),
        "/etc/ssl/private/agon.example.org.key": str(key),
        "agon.example.org": "localhost",
    }.items():
        assert place in site
        site = site.replace(place, value)
    user = "user root;" if os.geteuid() == 0 else ""  # others cannot enter the folder of a test
    (folder / "nginx.conf").write_text(MAIN.format(folder=folder, site=site, user=user))
    (folder / "var").mkdir()
    shutil.copyfile(migrated(store.parent), folder / "var" / "agon.sqlite3")
    address = f"https://localhost:{secure}"
    environment = os.environ | {
        "AGON_VAR": str(folder / "var"),
        "DJANGO_SETTINGS_MODULE": "agon.site.settings",
        "PYTHONPATH": f"{ROOT}:{ROOT}/platform",
        "SITE_URL": address,
        "TRUSTED_PROXY_COUNT": "1",
    }
    subprocess.run([sys.executable, "-c", PREPARE], env=environment, check=True)
    server = [sys.executable, "-m", "agon.supervisor.public_web", "127.0.0.1", str(web), "1"]
    commands = [server, ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf")]]
    with open(log, "wb") as written:
        processes = [
            subprocess.Popen(command, env=environment, cwd=ROOT, stderr=written) for command in commands
        ]
    try:
        until(lambda: all(map(services.port_is_open, (web, secure, plain))))
        yield address
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait(60)


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)  # other processes are at work


@pytest.fixture
def visitor(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, verify=False, timeout=60) as client:
        yield client


def test_a_browser_keeps_ten_pages_open(url: str) -> None:
    with chromium() as browser, browser.new_context(ignore_https_errors=True) as context:
        pages = [context.new_page() for _ in range(10)]
        for page in pages:
            page.goto(f"{url}/c/coup/", wait_until="load", timeout=60_000)
        asked = pages[-1].evaluate("performance.getEntriesByType('navigation')[0].nextHopProtocol")
    assert asked == "h2"


def test_an_event_of_a_stream_arrives_at_once(visitor: httpx.Client) -> None:
    began = time.monotonic()
    with visitor.stream("GET", "/c/coup/events/") as answer:
        first = next(answer.iter_bytes())
    assert first.startswith(b"id: ")
    assert time.monotonic() - began < 10  # its pulse is 15 s, and the buffer of the proxy holds hundreds


def test_the_site_explains_what_is_too_large_itself(visitor: httpx.Client) -> None:
    answer = visitor.post("/c/coup/submit/", content=b"x" * (34 << 20))
    assert answer.status_code == 413
    assert "nginx" not in answer.text
    assert "32" in answer.text


def test_a_visitor_cannot_choose_an_address_or_leave_https(visitor: httpx.Client, log: Path) -> None:
    forged = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "http", "X-Real-IP": "203.0.113.9"}
    page = visitor.get("/accounts/login/", headers=forged)
    assert page.status_code == 200  # else a redirect to https, without end
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page.text)
    assert token
    fields = {"login": "nobody", "password": "x", "csrfmiddlewaretoken": token[1]}
    visitor.post("/accounts/login/", data=fields, headers=forged | {"Referer": str(page.url)})
    until(lambda: "failed sign-in" in log.read_text())
    assert "failed sign-in as 'nobody' from 127.0.0.1" in log.read_text()
    assert page.headers["Server"] == "nginx"
