"""The web site, for an ASGI server."""

import os

import django

from agon.body_limit import limited

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.settings")
django.setup(set_prefix=False)

from agon.turns import Handler  # noqa: E402  (it needs the settings)

application = limited(Handler())
