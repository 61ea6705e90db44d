"""The task queue: a broker of files, and the notices that wake workers."""
