"""Matches, tournaments, archives and their verification, without a site: no Django, no database."""

__version__ = "0.1.0"
