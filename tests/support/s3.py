"""A server that speaks S3, in a thread of the tests: a bucket for each that asks."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import boto3
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

KEY, SECRET, BUCKET = "a-key", "a secret/of+its own", "agon"


class Bucket(NamedTuple):
    """A bucket. setting: for STORAGE. objects: what is in it, as boto3 has it."""

    setting: str
    objects: object

    def names(self) -> list[str]:
        return sorted(stored.key for stored in self.objects.objects.all())

    def read(self, name: str) -> bytes:
        return self.objects.Object(name).get()["Body"].read()

    def write(self, name: str, data: bytes) -> None:
        self.objects.Object(name).put(Body=data)


@contextmanager
def bucket(host: str = "127.0.0.1", certificate: tuple[str, str] | None = None) -> Iterator[Bucket]:
    """An empty bucket on a server of its own. certificate: files of it and of its key, for TLS."""
    logging.getLogger("werkzeug").setLevel(logging.WARNING)  # else a line for each request
    application = DomainDispatcherApplication(create_backend_app)
    server = make_server(host, 0, application, threaded=True, ssl_context=certificate)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        client = boto3.resource(
            "s3",
            endpoint_url=f"http{'s' if certificate else ''}://{host}:{server.port}",
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
            verify=certificate[0] if certificate else None,
        )
        made = client.Bucket(BUCKET)
        made.objects.all().delete() if made in client.buckets.all() else made.create()
        tls = f"?ca={certificate[0]}" if certificate else "?tls=off"
        setting = f"s3://{KEY}:a%20secret%2Fof%2Bits%20own@{host}:{server.port}/{BUCKET}/files{tls}"
        yield Bucket(setting, made)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
