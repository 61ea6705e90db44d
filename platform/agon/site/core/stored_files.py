"""Which files of the storage are named by rows: every field for files of every model."""

from collections.abc import Iterator
from typing import Any

from django.core.files.storage import default_storage
from django.db import connection
from django.db.models import FileField

from agon.site.core.storage import PARTIAL


def query(apps: Any) -> str:
    """SQL for the names, each once, in order. apps: the models, as they are now or were at some migration."""
    quote = connection.ops.quote_name
    parts = [
        f"SELECT {quote(column)} AS name FROM {quote(table)} WHERE {quote(column)} <> ''"
        for table, column in sorted(_columns(apps))
    ]
    return f"{' UNION '.join(parts)} ORDER BY name"


def is_named(apps: Any, name: str) -> bool:
    """Whether a row of the database, as it is now, names this file."""
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM ({query(apps)}) AS named WHERE name = %s", [name])
        return cursor.fetchone() is not None


def in_storage(folder: str = "") -> Iterator[str]:
    """The names of all files in the storage; none if it cannot list them."""
    try:
        folders, files = default_storage.listdir(folder)
    except (FileNotFoundError, NotImplementedError):
        return
    prefix = f"{folder}/" if folder else ""
    for file in files:
        yield prefix + file
    for place in folders:
        if prefix + place != PARTIAL:
            yield from in_storage(prefix + place)


def _columns(apps: Any) -> Iterator[tuple[str, str]]:
    """Table and column of each field. A production site has one storage, the default one."""
    for model in apps.get_models(include_auto_created=True):
        if model._meta.managed and not model._meta.proxy:
            for field in model._meta.local_concrete_fields:
                if isinstance(field, FileField) and field.column:
                    yield model._meta.db_table, field.column
