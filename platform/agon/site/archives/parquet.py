"""Tables of Parquet: a named tuple is the schema, its rows are written batch by batch."""

import types
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import IO, Any, get_args

from arro3 import io as arrow_io
from arro3.core import Array, DataType, Field, RecordBatch, RecordBatchReader, Schema

ROWS = 10_000  # in a batch
_GROUP = 100_000  # rows in a row group, which is what a writer holds
_TYPES = {int: DataType.int64(), str: DataType.utf8(), float: DataType.float64(), bool: DataType.bool()}
Columns = type[tuple[Any, ...]]


@lru_cache
def schema_of(columns: Columns) -> Schema:
    """columns: a named tuple of int, str, float and bool; `int | None` is a column that may be null."""
    return Schema(
        [Field(name, _type(kind), nullable=_is_optional(kind)) for name, kind in _fields(columns).items()]
    )


def described(columns: Columns) -> dict[str, str]:
    """The type of each column, in words, for readers of a manifest."""
    return {
        name: _plain(kind).__name__ + (" or null" if _is_optional(kind) else "")
        for name, kind in _fields(columns).items()
    }


def write(file: IO[bytes], columns: Columns, rows: Iterable[tuple[Any, ...]]) -> None:
    """Write a Parquet file; the rows are never all in memory."""
    batches = _batches(columns, iter(rows))
    reader = RecordBatchReader.from_batches(schema_of(columns), batches)
    arrow_io.write_parquet(reader, file, max_row_group_size=_GROUP)


def _batches(columns: Columns, rows: Iterator[tuple[Any, ...]]) -> Iterator[RecordBatch]:
    kinds = [_type(kind) for kind in _fields(columns).values()]
    while batch := list(islice(rows, ROWS)):
        values = zip(*batch, strict=True)
        arrays = [Array(column, kind) for column, kind in zip(values, kinds, strict=True)]
        yield RecordBatch.from_arrays(arrays, schema=schema_of(columns))


def _fields(columns: Columns) -> dict[str, Any]:
    return dict(columns.__annotations__)


def _is_optional(kind: Any) -> bool:
    return isinstance(kind, types.UnionType)


def _plain(kind: Any) -> Any:
    return get_args(kind)[0] if _is_optional(kind) else kind


def _type(kind: Any) -> DataType:
    return _TYPES[_plain(kind)]
