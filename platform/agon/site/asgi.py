"""The web site as an ASGI application. Servers run agon.site.server, which looks at the database first."""

import os
from importlib import import_module

import django

from agon.site.core import garbage
from agon.site.core.open_files import raise_limit

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.site.settings")
raise_limit()
with garbage.gc_frozen():
    django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402  (these need the settings)

from agon.site.api.problems import of_refused_body  # noqa: E402
from agon.site.web.core.body_limit import limited  # noqa: E402
from agon.site.web.core.concurrency import LimitedASGIHandler  # noqa: E402
from agon.site.web.core.visitors import VISITOR  # noqa: E402
from agon.site.web.fleet.door import watched  # noqa: E402

application = watched(limited(LimitedASGIHandler(), VISITOR, of_refused_body))

# Else the first visitor would wait for it, and full collections would take 80 ms of some requests.
with garbage.gc_frozen():
    import_module(settings.ROOT_URLCONF)
