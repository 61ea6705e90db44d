"""Crawls all pages that a visitor can reach by links."""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterable
from html import unescape
from urllib.parse import urljoin, urlsplit

from django.test import Client

LINK = re.compile(r"""(?:href|src|action|hx-get|data-log|data-viewer)=["']([^"']+)["']""")
# Static files, streams, the admin's repetitions, and what is the same on every site: documents and starters.
SKIPPED = re.compile(
    r"^data:|/static/|/docs/.|[?&]starter=|/admin/.*(\?|password|/add/|jsi18n)|/events/|logout|/source$|/i18n/|/theme/|\?next=|\?.*&"
)


def crawled(
    client: Client,
    addresses: Iterable[str],
    but: re.Pattern[str] | None = None,
    most_alike: int | None = None,
    skipped: re.Pattern[str] = SKIPPED,
) -> dict[str, bytes]:
    """The responses of these URLs and of all that links lead to: status, headers, body (zips unpacked).

    but: URLs in which this is found are left out. most_alike: of URLs that differ in numbers alone, so many.
    skipped: the same as `but`, for most crawls.
    """
    todo = list(addresses)
    responses: dict[str, bytes] = {}
    alike = Counter[str]()
    while todo:
        address = todo.pop()
        if address in responses or skipped.search(address) or (but is not None and but.search(address)):
            continue
        kind = re.sub(r"\d+", "0", address)
        if alike[kind] == most_alike:
            continue
        alike[kind] += 1
        response = client.get(address)
        body = b"".join(response.streaming_content) if response.streaming else response.content
        responses[address] = f"{response.status_code} {dict(response.headers)}\n".encode() + unzipped(body)
        if "text/html" in response.headers.get("Content-Type", ""):
            links = (urljoin(address, unescape(link)) for link in LINK.findall(body.decode()))
            todo += [link.partition("#")[0] for link in links if not urlsplit(link).netloc]
        if response.status_code in (301, 302):
            todo.append(urljoin(address, response.headers["Location"]))
    return responses


def unzipped(body: bytes) -> bytes:
    if not body.startswith(b"PK"):
        return body
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        return b"".join(archive.read(name) for name in archive.namelist())
