"""A webhook leads to the public Internet alone, whatever its address, its name or its receiver say."""

import http.server
import os
import socket
import ssl
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from agon.site.webhooks import sending, targets
from agon.site.webhooks.targets import BadTarget
from tests.support.receivers import receiving

PRIVATE = """
    127.0.0.1 10.1.2.3 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255
    192.0.2.1 198.18.0.1 240.0.0.1 ::1 :: fe80::1 fc00::1 fd12::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1
    64:ff9b::7f00:1 2002:7f00:1:: 2002:c0a8:101:: 2001:db8::1 ::127.0.0.1
"""


@pytest.mark.parametrize("address", PRIVATE.split())
def test_addresses_that_are_not_public_are_refused(address):
    assert not targets.is_public(ip_address(address))
    literal = f"[{address}]" if ":" in address else address
    with pytest.raises(BadTarget):
        targets.parse(f"https://{literal}/hook")


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "2002:808:808::"])
def test_public_addresses_are_allowed(address):
    assert targets.is_public(ip_address(address))


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "ftp://example.org/",
        "https://",
        "https:///x",
        "example.org",
        "https://user:word@example.org/",
        "https://example.org/#part",
        "https://example.org:99999/",
        "https://example.org:0/",
        "https://exa mple.org/",
        "https://example.org/\r\nX-Header: 1",
        "https://example.org\\@127.0.0.1/",
        "https://пример.рф/",
        "https://[::1/",
        "https://example.org/" + "x" * 500,
        "",
    ],
)
def test_addresses_that_no_webhook_may_have_are_refused(url):
    with pytest.raises(BadTarget):
        targets.parse(url)


# Names and numbers that the system resolves to this machine.
@pytest.mark.parametrize("host", ["localhost", "2130706433", "0x7f.1", "127.1", "0177.0.0.1", "0"])
def test_a_name_that_leads_to_this_machine_gets_nothing(host):
    with receiving(200) as [receiver]:
        port = receiver.url.rsplit(":", 1)[1].split("/")[0]
        assert sending.post(f"https://{host}:{port}/", b"{}", {}).outcome == "address"
        assert receiver.requests == []


def test_a_name_that_has_a_public_and_a_private_address_gets_nothing(monkeypatch):
    both = [(socket.AF_INET, 1, 6, "", (address, 443)) for address in ("8.8.8.8", "127.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **kwargs: both)

    assert sending.post("https://example.org/", b"{}", {}).outcome == "address"


def test_a_name_is_looked_up_once_so_that_it_cannot_change_after_the_check(monkeypatch, settings):
    """The second answer would lead elsewhere."""
    settings.AGON_LOCAL_HOOKS = True
    real, asked = socket.getaddrinfo, []

    def rebinding(host, *args, **kwargs):
        if host != "example.org":
            return real(host, *args, **kwargs)
        asked.append(host)
        return real("127.0.0.1" if len(asked) == 1 else "127.0.0.2", *args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with receiving(200) as [receiver]:
        port = receiver.url.rsplit(":", 1)[1].split("/")[0]
        assert sending.post(f"http://example.org:{port}/", b'{"id": 1}', {}).outcome == "delivered"
        [(headers, _body)] = receiver.requests
    assert asked == ["example.org"]
    assert headers["host"] == f"example.org:{port}"


def test_a_host_that_does_not_exist_and_a_port_where_nothing_listens_are_told_apart(settings):
    settings.AGON_LOCAL_HOOKS = True
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    assert sending.post("https://no-such-host.invalid/", b"", {}).outcome == "unknown_host"
    assert sending.post(f"http://127.0.0.1:{port}/", b"", {}).outcome == "unreachable"


def self_signed(folder: Path) -> Path:
    """A file with a certificate for localhost that nobody else has signed, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    names = x509.SubjectAlternativeName([x509.DNSName("localhost")])
    made = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    file = folder / "localhost.pem"
    file.write_bytes(private + made.public_bytes(Encoding.PEM))
    return file


def test_a_certificate_that_nobody_vouches_for_is_refused(settings, tmp_path):
    settings.AGON_LOCAL_HOOKS = True
    server = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path))
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.handle_error = lambda *_: None  # it would print that the handshake failed
    threading.Thread(target=server.handle_request, daemon=True).start()

    assert sending.post(f"https://localhost:{server.server_port}/", b"", {}).outcome == "tls"
    server.server_close()


def test_a_server_that_never_finishes_its_handshake_is_given_up(settings, monkeypatch):
    settings.AGON_LOCAL_HOOKS = True
    monkeypatch.setattr(sending, "SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        assert sending.post(f"https://127.0.0.1:{port}/", b"", {}).outcome == "timeout"


# Runs in namespaces of its own: this machine has a resolver there that takes questions and never answers.
ASKING_A_RESOLVER_THAT_HANGS = """
import fcntl, os, socket, struct, subprocess, sys, time
resolver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
UP, SIOCSIFFLAGS = 1, 0x8914
fcntl.ioctl(resolver, SIOCSIFFLAGS, struct.pack("16sh", b"lo", UP))
subprocess.run(["mount", "--bind", sys.argv[1], "/etc/resolv.conf"], check=True)
resolver.bind(("127.0.0.1", 53))
import django
django.setup()
from agon.site.webhooks import sending, targets
targets.SECONDS = 0.5
began = time.monotonic()
outcome = sending.post("https://hangs.example.org/", b"{}", {}).outcome
took = time.monotonic() - began
resolver.settimeout(10)
asked = b"hangs" in resolver.recv(512)
print(outcome, took < 2, asked, flush=True)
"""


def test_a_resolver_that_hangs_holds_up_nothing(tmp_path):
    if subprocess.run(["unshare", "-r", "-m", "-n", "true"], capture_output=True).returncode:
        pytest.skip("this machine allows no namespaces")
    (tmp_path / "resolv.conf").write_text("nameserver 127.0.0.1\noptions timeout:5 attempts:1\n")
    (tmp_path / "asking.py").write_text(ASKING_A_RESOLVER_THAT_HANGS)
    command = ["unshare", "-r", "-m", "-n", sys.executable, "asking.py", str(tmp_path / "resolv.conf")]
    environment = os.environ | {"AGON_VAR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "agon.site.settings"}
    ran = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)

    assert ran.stdout == "timeout True True\n", ran.stderr


def test_look_ups_that_hang_do_not_add_up(monkeypatch):
    """So many names at a time, whatever hangs: the next one waits for a place, and not for long."""
    monkeypatch.setattr(targets, "SECONDS", 0.05)
    monkeypatch.setattr(targets, "_lookups", threading.BoundedSemaphore(1))
    answer, asked = threading.Event(), []

    def hangs(host, *args, **kwargs):
        asked.append(host)
        answer.wait(60)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", hangs)
    for host in ("one.example.org", "two.example.org"):
        assert sending.post(f"https://{host}/", b"{}", {}).outcome == "timeout"
    answer.set()

    assert asked == ["one.example.org"]
