"""The site and the workers: the only piece that knows both games and sandboxes."""

__version__ = "0.1.0"
