#!/usr/bin/env python
"""Django's command line, for operators: migrations, the shell, the admin's password."""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    root = Path(__file__).resolve().parent
    sys.path[:0] = [str(root), str(root / "platform")]
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "agon.site.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    from agon.site.core.setting_table import mistake

    if why := mistake(os.environ):
        sys.exit(f"agon: {why}")

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"agon: {error}")
