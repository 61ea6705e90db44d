"""The commands that need no site: no database, no settings, no Django. agon.__main__ lists them."""
