"""Commands that need the site, which is not installed with the command line alone."""

import os
from importlib.util import find_spec

from agon.cli.output import CommandError


def demand_site() -> None:
    """Raise CommandError if the site is not installed. Imports nothing of it."""
    if find_spec("django") is None:
        raise CommandError("the site is not installed, only the command line: pip install 'agon[site]'")


def set_up_site() -> None:
    """Set Django up: from now on models can be imported. Writes into the folder of an embedded site.

    Raises CommandError if a setting cannot be meant like that.
    """
    import django  # not installed with the command line alone
    from django.core.exceptions import ImproperlyConfigured

    from agon.site.core import garbage
    from agon.site.core.setting_table import mistake

    if why := mistake(os.environ):
        raise CommandError(why)

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.site.settings")
    try:
        with garbage.gc_frozen():
            django.setup()
    except ImproperlyConfigured as error:
        raise CommandError(str(error)) from error
