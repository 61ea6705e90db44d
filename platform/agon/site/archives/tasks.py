"""Tasks of the processes that have the site's key."""

from celery.signals import worker_ready
from django.conf import settings

from agon.site.archives import keys, services
from agon.site.celery import app


@app.task(name="agon.site.archives.tasks.sign_match")
def sign_match(words: str) -> None:
    """Sign the download of a match. words: its id, and the seats whose standard error it contains."""
    match, *seats = map(int, words.split())
    services.sign_match(match, seats)


@worker_ready.connect
def remember_key(**_: object) -> None:
    """List the key that was given to this process, so that the others know that downloads are signed."""
    if settings.ARCHIVE_KEY and (key := keys.signing_key()) is not None:
        keys.remember(key)
