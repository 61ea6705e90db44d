"""What a database consists of, as its own catalog says: a set of texts, to be compared with another's.

Two databases with the same tables have the same set, whatever the order of their columns. A table, column,
index, constraint, sequence, view, trigger, function, policy or comment that differs is another text.
"""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg2

# What a new site begins with, without keys and times, which may differ.
FIRST_ROWS = (
    "SELECT app, name FROM django_migrations",
    "SELECT app_label, model FROM django_content_type",
    "SELECT app_label, model, codename, p.name FROM auth_permission AS p"
    " JOIN django_content_type AS c ON c.id = p.content_type_id",
    "SELECT g.name, codename FROM auth_group AS g LEFT JOIN auth_group_permissions AS r ON r.group_id = g.id"
    " LEFT JOIN auth_permission AS p ON p.id = r.permission_id",
)
_OF_POSTGRES = (
    "SELECT relname, relkind, relpersistence, relrowsecurity, reloptions, relreplident FROM pg_class"
    " WHERE relnamespace = 'public'::regnamespace",
    "SELECT attrelid::regclass, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,"
    " attgenerated, pg_get_expr(adbin, adrelid), attcollation::regcollation, attstorage, attcompression,"
    " attoptions"
    " FROM pg_attribute JOIN pg_class AS c ON c.oid = attrelid AND relkind IN ('r', 'p', 'v', 'm', 'S')"
    " LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)"
    " WHERE relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped",
    "SELECT conrelid::regclass, conname, contype, condeferrable, condeferred, convalidated,"
    " pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
    "SELECT pg_get_indexdef(indexrelid), indisvalid, indisprimary, indisclustered FROM pg_index"
    " JOIN pg_class AS c ON c.oid = indexrelid WHERE relnamespace = 'public'::regnamespace",
    "SELECT sequencename, data_type, start_value, min_value, max_value, increment_by, cycle, cache_size"
    " FROM pg_sequences WHERE schemaname = 'public'",
    "SELECT viewname, definition FROM pg_views WHERE schemaname = 'public'",
    "SELECT tgrelid::regclass, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal",
    "SELECT proname, prosrc FROM pg_proc WHERE pronamespace = 'public'::regnamespace",
    "SELECT * FROM pg_policies",
    "SELECT extname FROM pg_extension",
    "SELECT objoid::regclass, objsubid, description FROM pg_description"
    " WHERE classoid = 'pg_class'::regclass AND objoid >= 16384",
)


def of_sqlite(path: Path) -> set[str]:
    """Of a file of SQLite."""
    with closing(sqlite3.connect(path)) as database:
        made = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master").fetchall()
    result = set()
    for kind, name, table, sql in made:
        if kind != "table":
            result.add(f"{table}: {kind} {name}: {sql}")
            continue
        head, _, rest = sql.partition("(")
        body, _, tail = rest.rpartition(")")
        result |= {f"{name}: {part}" for part in [head, tail, *_parts(body)]}
    return result


def _parts(body: str) -> Iterator[str]:
    """The columns and constraints of a CREATE TABLE: between commas outside of parentheses and texts."""
    depth, part = 0, ""
    for token in re.findall(r"'(?:[^']|'')*'|.", body, re.DOTALL):
        depth += (token == "(") - (token == ")")
        if token == "," and not depth:
            yield part.strip()
            part = ""
        else:
            part += token
    yield part.strip()


def of_postgres(url: str) -> set[str]:
    """Of a database of PostgreSQL."""
    with closing(psycopg2.connect(url)) as database, database.cursor() as cursor:
        result = set()
        for query in _OF_POSTGRES:
            cursor.execute(query)
            result |= {str(row) for row in cursor.fetchall()}
        return result
