"""The web site, for an ASGI server."""

import os

from django.core.asgi import get_asgi_application

from agon.body_limit import limited

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.settings")
application = limited(get_asgi_application())
