"""The web site: a Django project. `core`, the apps, `use_cases`, `workers` and `web`, one above the other."""
