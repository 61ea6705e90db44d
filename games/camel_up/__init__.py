"""Camel Up Cup 2018: four players bet on a race of camels that carry each other."""
