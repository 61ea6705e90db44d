"""Adapters: files put beside bots that are not programs by themselves, such as Python functions.

The caller provides the files and knows what they do. They are put at the top of the bot's folder, and one of
them is run in place of the bot's main file, whose name it gets as its argument. It prints READY when it has
loaded that file (loading.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sandbox.api import Limits
from sandbox.building.recipes import Recipe, of_language
from sandbox.file_names import BadUpload
from sandbox.languages import registry
from sandbox.source import Source, SourceFile


@dataclass(frozen=True)
class Adapter:
    """Files for bots of one language (a slug).

    entry: the name of the file to run. load_s, limits: the seconds in which a bot must be loaded, and what it
    may use then.
    """

    language: str
    entry: str
    files: Mapping[str, bytes]
    load_s: float
    limits: Limits


def add_adapter(adapter: Adapter, source: Source, how: Recipe) -> tuple[Source, Recipe]:
    """Source and recipe with the adapter; unchanged if it is for another language. Raises BadUpload."""
    if how.language != adapter.language:
        return source, how
    language, main = registry.detect(source)
    assert main is not None
    for name in adapter.files:
        if source.find(name) is not None:
            raise BadUpload(
                "%(upload)s contains %(name)s: that name is for a file of Agon's own",
                upload=source.filename,
                name=name,
            )
    own = (SourceFile(name, data, False) for name, data in adapter.files.items())
    together = replace(source, files=tuple(sorted((*source.files, *own))))
    run = of_language(together, language, adapter.entry)
    return together, replace(run, command=(*run.command, main))
