"""Matches, tournaments, archives and their verification, without a site: no Django, no database."""
