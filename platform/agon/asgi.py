"""The web site, for an ASGI server."""

import gc
import os
from importlib import import_module

import django

from agon.open_files import raise_limit
from agon.web.body_limit import limited

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.settings")
raise_limit()
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402  (these need the settings)

from agon.web.concurrency import LimitedASGIHandler  # noqa: E402
from agon.web.visitors import VISITOR  # noqa: E402

application = limited(LimitedASGIHandler(), VISITOR)

# A full collection goes through all modules, which takes 80 ms of a request; their objects need none.
import_module(settings.ROOT_URLCONF)
gc.collect()
gc.freeze()
