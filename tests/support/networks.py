"""A network namespace of its own, joined to this machine by one cable that can be pulled. Needs root."""

import os
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Elsewhere(NamedTuple):
    """name: of the namespace. here: this machine's address as it is seen from there."""

    name: str
    cable: str
    here: str

    def command(self, *words: str) -> list[str]:
        """The command that runs these words there."""
        return ["ip", "netns", "exec", self.name, *words]

    def pull(self) -> None:
        _ip("link", "set", self.cable, "down")

    def plug_in(self) -> None:
        _ip("link", "set", self.cable, "up")


@contextmanager
def elsewhere() -> Iterator[Elsewhere]:
    """Raises OSError or CalledProcessError where no namespace can be made."""
    number = os.getpid() % 16_000
    name, cable, peer = f"agon-{number}", f"agonh{number}", f"agonp{number}"
    net = f"10.{200 + number // 256 // 16}.{number // 64 % 256}.{number % 64 * 4}"
    here, there = str(ip_address(net) + 1), str(ip_address(net) + 2)
    _ip("netns", "add", name)
    try:
        _ip("link", "add", cable, "type", "veth", "peer", "name", peer, "netns", name)
        _ip("address", "add", f"{here}/30", "dev", cable)
        _ip("link", "set", cable, "up")
        for words in (("address", "add", f"{there}/30", "dev", peer), ("link", "set", peer, "up")):
            _ip("-netns", name, *words)
        _ip("-netns", name, "link", "set", "lo", "up")
        yield Elsewhere(name, cable, here)
    finally:
        with suppress(subprocess.CalledProcessError):
            _ip("link", "delete", cable)
        _ip("netns", "delete", name)


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


def certificate(folder: Path, address: str) -> tuple[str, str]:
    """Files of a certificate for this address that signs itself, and of its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, address)])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - timedelta(days=1))
        .not_valid_after(datetime.now(UTC) + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address(address))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(made.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return str(paths[0]), str(paths[1])


POSTGRES_ASKS_FOR_TLS = bytes((0, 0, 0, 8, 4, 210, 22, 47))


@contextmanager
def tls_door(address: str, port: int, pair: tuple[str, str], postgres: bool = False) -> Iterator[int]:
    """A port of this address that takes TLS alone, and passes what comes on to `port` of this machine.

    postgres: a client asks for TLS first, as PostgreSQL's do. One that does not is sent away.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*pair)
    listening = socket.create_server((address, 0))
    threading.Thread(target=_serve, args=(listening, port, context, postgres), daemon=True).start()
    try:
        yield int(listening.getsockname()[1])
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()


def _serve(listening: socket.socket, port: int, context: ssl.SSLContext, postgres: bool) -> None:
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=_relay, args=(client, port, context, postgres), daemon=True).start()


def _relay(client: socket.socket, port: int, context: ssl.SSLContext, postgres: bool) -> None:
    with client, suppress(OSError):
        if postgres:
            if client.recv(8, socket.MSG_WAITALL) != POSTGRES_ASKS_FOR_TLS:
                return
            client.sendall(b"S")
        with (
            context.wrap_socket(client, server_side=True) as safe,
            socket.create_connection(("127.0.0.1", port)) as server,
        ):
            back = threading.Thread(target=_copy, args=(server, safe), daemon=True)
            back.start()
            _copy(safe, server)
            back.join()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)
