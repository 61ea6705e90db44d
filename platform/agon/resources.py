"""Where the files are that are not Python: templates, static files, translations, documents.

In a checkout they are at its top. In an installed package (`make wheel`) they are inside the package, and the
site keeps its data where programs of a user do.
"""

import os
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[1]

IS_CHECKOUT = (_CHECKOUT / "pyproject.toml").is_file() and _PACKAGE.parent.name == "platform"
RESOURCES = _CHECKOUT if IS_CHECKOUT else _PACKAGE / "resources"


def data_folder() -> Path:
    """The folder of a site's data: AGON_VAR, else `var` of a checkout, else a folder of the user's."""
    if given := os.environ.get("AGON_VAR"):
        return Path(given).resolve()
    if IS_CHECKOUT:
        return _CHECKOUT / "var"
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data, "agon")
