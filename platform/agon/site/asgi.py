"""The web site, for an ASGI server."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import django

from agon.site.core import garbage
from agon.site.core.open_files import raise_limit
from agon.site.core.setting_table import mistake

if wrong := mistake(os.environ):
    sys.exit(f"agon: {wrong}")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.site.settings")
raise_limit()
with garbage.gc_frozen():
    django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402  (these need the settings)

from agon.site.api.problems import of_refused_body  # noqa: E402
from agon.site.core.db.schema import why_not_to_start  # noqa: E402
from agon.site.web.core.body_limit import limited  # noqa: E402
from agon.site.web.core.concurrency import LimitedASGIHandler  # noqa: E402
from agon.site.web.core.visitors import VISITOR  # noqa: E402

# Servers may import this in their event loop, in which Django makes no queries.
with ThreadPoolExecutor(1) as thread:
    if why := thread.submit(why_not_to_start).result():
        sys.exit(f"agon: {why}")

application = limited(LimitedASGIHandler(), VISITOR, of_refused_body)

# Else the first visitor would wait for it, and full collections would take 80 ms of some requests.
with garbage.gc_frozen():
    import_module(settings.ROOT_URLCONF)
