"""User namespaces, which bubblewrap requires."""

from pathlib import Path


def blocking_setting() -> str:
    """The kernel setting that forbids user namespaces here, with the command that allows them, or ""."""
    settings = {
        "/proc/sys/kernel/unprivileged_userns_clone": ("0", "sysctl kernel.unprivileged_userns_clone=1"),
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": (
            "1",
            "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap",
        ),
        "/proc/sys/user/max_user_namespaces": ("0", "sysctl user.max_user_namespaces=15000"),
    }
    for path, (forbidding, command) in settings.items():
        try:
            value = Path(path).read_text().strip()
        except OSError:
            continue
        if value == forbidding:
            return f"user namespaces are forbidden by {path}: {command}"
    return ""
