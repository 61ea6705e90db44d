"""The web site, for an ASGI server: it does not start with a setting that cannot be meant so, nor on the
database of a later Agon.
"""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

from agon.site.core.setting_table import mistake

if wrong := mistake(os.environ):
    sys.exit(f"agon: {wrong}")

from agon.site.asgi import application
from agon.site.core import garbage
from agon.site.core.db.schema import why_not_to_start

__all__ = ["application"]

# Servers may import this in their event loop, in which Django makes no queries.
with ThreadPoolExecutor(1) as thread:
    if why := thread.submit(why_not_to_start).result():
        sys.exit(f"agon: {why}")

garbage.freeze_survivors()
