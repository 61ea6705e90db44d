"""Sizes of files in words."""


def format_size(size: int) -> str:
    """A number of bytes, to three digits: 512 bytes, 1.46 KiB, 20.3 GiB."""
    if size < 1024:
        return f"{size} byte{'s' if size != 1 else ''}"
    value, unit = size / 1024, "KiB"
    for unit in ("KiB", "MiB", "GiB", "TiB"):
        if value < 1000 or unit == "TiB":
            break
        value /= 1024
    return f"{value:.{max(0, 2 - (value >= 10) - (value >= 100))}f} {unit}"
