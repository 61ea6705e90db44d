"""Adapters: files that turn bots that are not programs, such as Python functions, into programs.

The caller provides the files and knows what they do. They are put at the top of the bot's folder. One of
them is run in place of the bot's main file, and gets that file's name as its argument. It prints READY when
it has loaded that file (loading.py).
"""

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

    entry: the name of the file to run. load_s: the seconds in which a bot must be loaded. limits: what it may
    use meanwhile.
    """

    language: str
    entry: str
    files: Mapping[str, bytes]
    load_s: float
    limits: Limits


def add_adapter(adapter: Adapter, source: Source, recipe: Recipe) -> tuple[Source, Recipe]:
    """Add the adapter to a source and its recipe if their language is the adapter's. Raises BadUpload."""
    if recipe.language != adapter.language:
        return source, recipe
    language, main = registry.detect(source)
    assert main is not None
    for name in adapter.files:
        if source.find(name) is not None:
            raise BadUpload("name_reserved", upload=source.filename, name=name)
    own = (SourceFile(name, data, False) for name, data in adapter.files.items())
    together = replace(source, files=tuple(sorted((*source.files, *own))))
    run = of_language(together, language, adapter.entry)
    return together, replace(run, command=(*run.command, main))
