"""What every app shares: database, queue, storage, caches, texts."""
