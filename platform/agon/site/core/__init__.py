"""The Django project: settings, URLs, and what every app shares (web, db, queue)."""
