"""Checks what a site has sent against the types of agon.client.answers.

A proxy may answer in the place of a site, and a site may be older or newer than this program. A field that
is missing is noticed by the command that needs it: an older site need not have what others need.
"""

from typing import Any, get_args, get_origin, get_type_hints, is_typeddict

from agon.client.errors import other_version


class Received(dict[str, Any]):
    """An object that a site has sent. A field that it lacks raises SiteError."""

    def __init__(self, url: str, fields: dict[str, Any]) -> None:
        super().__init__(fields)
        self._url = url

    def __missing__(self, name: str) -> Any:
        raise other_version(self._url, f"no “{name}”")


def fits(value: Any, kind: Any) -> bool:
    """Whether a value of JSON is of a type. Fields may be missing, and there may be more."""
    if kind is Any:
        return True
    if is_typeddict(kind):
        hints = get_type_hints(kind)
        known = hints.keys() & value.keys() if isinstance(value, dict) else ()
        return isinstance(value, dict) and all(fits(value[name], hints[name]) for name in known)
    if get_origin(kind) is list:
        return isinstance(value, list) and all(fits(item, *get_args(kind)) for item in value)
    if get_origin(kind) is dict:
        _name, inner = get_args(kind)
        return isinstance(value, dict) and all(fits(item, inner) for item in value.values())
    if get_args(kind):
        return any(fits(value, option) for option in get_args(kind))
    return isinstance(value, int | float if kind is float else kind)
