"""Lists in pages.

A cursor names the list and the last item that was sent, so nothing is skipped or doubled when items are
added. It is opaque to programs, and good for the list that it came from.
"""

import base64
import binascii
import json
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from pydantic import Field

from agon.site.api.problems import FieldError, Problem

MOST_ROWS = 200
USUAL = 50
Limit = Annotated[int, Field(ge=1, le=MOST_ROWS)]
LARGEST_ID = 2**63 - 1
_Row = TypeVar("_Row", bound=Model)


def encode(name: str, last: list[Any]) -> str:
    """The cursor after an item of the list `name`, whose sort key is `last`."""
    text = json.dumps([name, *last], separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def decode(name: str, cursor: str, types: tuple[type, ...]) -> list[Any]:
    """The sort key in a cursor of the list `name`. types: of its parts. Raises Problem."""
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        decoded = json.loads(base64.b64decode(padded, altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        decoded = None
    is_one = isinstance(decoded, list) and len(decoded) == 1 + len(types) and decoded[0] == name
    if not is_one or any(type(part) is not kind for part, kind in zip(decoded[1:], types, strict=True)):
        error = FieldError("cursor", _("Expected the value of “next” in a page of this list."))
        raise Problem("bad_cursor", errors=[error])
    return list(decoded[1:])


def newest_first(
    name: str,
    items: QuerySet[_Row],
    cursor: str | None,
    limit: int,
    shape: Callable[[_Row], dict[str, Any]],
) -> dict[str, Any]:
    """A page of the list `name`: `items` by descending id, from behind the cursor on."""
    if cursor is not None:
        (last,) = decode(name, cursor, (int,))
        items = items.filter(pk__lt=min(max(last, 0), LARGEST_ID))
    page = list(items.order_by("-pk")[: limit + 1])
    more = len(page) > limit
    page = page[:limit]
    return {"items": list(map(shape, page)), "next": encode(name, [page[-1].pk]) if more else None}
