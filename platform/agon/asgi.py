"""The web site, for an ASGI server."""

import os

import django

from agon.open_files import raise_limit
from agon.web.body_limit import limited

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.settings")
raise_limit()
django.setup(set_prefix=False)

from agon.web.concurrency import LimitedASGIHandler  # noqa: E402  (these need the settings)
from agon.web.visitors import VISITOR  # noqa: E402

application = limited(LimitedASGIHandler(), VISITOR)
