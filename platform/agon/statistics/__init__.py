"""Ratings, comparisons, weaknesses, and what differs in a fleet of workers: no Django."""

import os

# Before numpy is loaded: a fit runs beside matches whose time is measured, and must not take every core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
