"""Whether a person has just signed in: then no page needs to ask for the password again."""

import time

from django.http import HttpRequest

KEY = "signed-in"
FRESH_SECONDS = 600


def note(request: HttpRequest) -> None:
    """The person has signed in, or signed up, just now."""
    request.session[KEY] = time.time()


def is_fresh(request: HttpRequest) -> bool:
    ago = time.time() - request.session.get(KEY, 0)
    return bool(abs(ago) < FRESH_SECONDS)  # negative if the clock was put back
