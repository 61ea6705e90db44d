"""Rules and referees. Pure Python: no Django, no processes, no clock, no I/O but reading their own files."""
