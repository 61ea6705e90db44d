"""Cached values as JSON, so that what is read from a cache cannot run code, no matter who wrote it.

Django pickles values, and a process that can write to the cache can then run anything in every process that
reads it. Here a value is data: numbers, texts and containers, and our own named tuples, dataclasses, enums
and rows of the database, which are named by module and class. Other classes are neither written nor made.
"""

import base64
import enum
import functools
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from importlib import import_module
from operator import attrgetter
from typing import Any

from django.db import DEFAULT_DB_ALIAS
from django.db.models import Model
from django.db.models.fields.files import FieldFile
from django.utils.safestring import SafeString

from agon.site.core.texts.reasons import StoredReason
from games.core.reason import Reason

OWN = {"agon", "games"}
_TAG = "$"  # the key that says what an object is; its "value" is the other one
_PLAIN = frozenset({type(None), bool, int, float, str})


class Unreadable(Exception):
    """What the cache holds is not a value that was written by `dumps`."""


def dumps(value: Any) -> bytes:
    """Raises TypeError for a value of a class that is not cached."""
    return json.dumps(_encoded(value), separators=(",", ":"), ensure_ascii=False).encode()


def loads(data: bytes) -> Any:
    """Raises Unreadable."""
    try:
        return _decoded(json.loads(data))
    except (ValueError, TypeError, LookupError, AttributeError, ImportError, RecursionError) as error:
        raise Unreadable(f"a cached value cannot be read: {type(error).__name__}: {error}") from error


class Serializer:
    """For Django's Redis cache. Integers are kept as they are, so that Redis can add to them."""

    def dumps(self, value: Any) -> bytes | int:
        return value if type(value) is int else dumps(value)

    def loads(self, data: bytes) -> Any:
        try:
            return int(data)
        except ValueError:
            return loads(data)


_WRITTEN: dict[type, tuple[str, Callable[[Any], Any]]] = {
    tuple: ("tuple", lambda value: [_encoded(item) for item in value]),
    set: ("set", lambda value: [_encoded(item) for item in value]),
    frozenset: ("frozenset", lambda value: [_encoded(item) for item in value]),
    dict: ("dict", lambda value: _pairs(value)),
    Counter: ("counter", lambda value: _pairs(value)),
    bytes: ("bytes", lambda value: base64.b64encode(value).decode()),
    SafeString: ("html", lambda value: str.__str__(value)),
    FieldFile: ("file", lambda value: value.name),
    Fraction: ("fraction", lambda value: [value.numerator, value.denominator]),
    datetime: ("datetime", datetime.isoformat),
    date: ("date", date.isoformat),
    timedelta: ("timedelta", lambda value: [value.days, value.seconds, value.microseconds]),
    Reason: ("reason", Reason.to_data),
    StoredReason: ("stored reason", StoredReason.to_data),
}
_READ: dict[str, Callable[[Any], Any]] = {
    "tuple": lambda value: tuple(map(_decoded, value)),
    "set": lambda value: set(map(_decoded, value)),
    "frozenset": lambda value: frozenset(map(_decoded, value)),
    "dict": lambda value: {_decoded(key): _decoded(content) for key, content in value},
    "counter": lambda value: Counter({_decoded(key): _decoded(content) for key, content in value}),
    "bytes": base64.b64decode,
    "html": SafeString,
    "file": lambda value: value,  # a row makes a file of its name
    "fraction": lambda value: Fraction(*value),
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
    "timedelta": lambda value: timedelta(*value),
    "reason": Reason.from_data,
    "stored reason": StoredReason.from_data,
}


def _encoded(value: Any) -> Any:
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list:
        return [_encoded(item) for item in value]
    if kind is dict and all(type(key) is str and key != _TAG for key in value):
        return {key: _encoded(content) for key, content in value.items()}
    if kind in _WRITTEN:
        name, write = _WRITTEN[kind]
        return {_TAG: name, "value": write(value)}
    if not _is_own(kind):
        raise TypeError(f"{kind.__module__}.{kind.__qualname__} is not a class whose values are cached")
    return {_TAG: f"{kind.__module__}:{kind.__qualname__}", "value": _parts(kind, value)}


def _pairs(value: dict[Any, Any]) -> list[Any]:
    return [[_encoded(key), _encoded(content)] for key, content in value.items()]


def _parts(kind: type, value: Any) -> Any:
    if issubclass(kind, enum.Enum):
        return _encoded(value.value)
    if is_dataclass(kind):
        return {field.name: _encoded(getattr(value, field.name)) for field in fields(kind) if field.init}
    if issubclass(kind, Model):
        loaded = [field.attname for field in kind._meta.concrete_fields if field.attname in value.__dict__]
        related = {key: _encoded(content) for key, content in value._state.fields_cache.items()}
        return [{name: _encoded(value.__dict__[name]) for name in loaded}, related]
    return [_encoded(item) for item in value]


def _decoded(data: Any) -> Any:
    if isinstance(data, list):
        return [_decoded(item) for item in data]
    if not isinstance(data, dict):
        return data
    if _TAG not in data:
        return {key: _decoded(content) for key, content in data.items()}
    name, value = data[_TAG], data["value"]
    if name in _READ:
        return _READ[name](value)
    kind = _own_class(name)
    if issubclass(kind, enum.Enum):
        return kind(_decoded(value))
    if is_dataclass(kind):
        return kind(**{key: _decoded(content) for key, content in value.items()})
    if issubclass(kind, Model):
        return _row(kind, *value)
    return kind(*(_decoded(item) for item in value))


def _row(kind: type[Model], values: dict[str, Any], related: dict[str, Any]) -> Model:
    """The row as it was read: nothing is asked of the database, and nothing written."""
    result = kind.from_db(DEFAULT_DB_ALIAS, list(values), list(map(_decoded, values.values())))
    for name, content in related.items():
        result._state.fields_cache[name] = _decoded(content)
    return result


@functools.cache
def _own_class(name: str) -> type:
    module, _, path = name.partition(":")
    if module.partition(".")[0] not in OWN:
        raise LookupError(f"{name} is not one of ours")
    own_class = attrgetter(path)(import_module(module))
    if not isinstance(own_class, type) or own_class.__module__ != module or not _is_own(own_class):
        raise LookupError(f"{name} is not a class whose values are cached")
    return own_class


def _is_own(kind: type) -> bool:
    """Whether it is one of our classes that only hold data."""
    is_data = issubclass(kind, enum.Enum | Model) or is_dataclass(kind) or hasattr(kind, "_fields")
    return is_data and kind.__module__.partition(".")[0] in OWN
