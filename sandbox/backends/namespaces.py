"""User namespaces, which bubblewrap requires."""

from pathlib import Path

_APPARMOR = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"


def blocking_setting(bwrap: Path | None = None, root: Path = Path("/")) -> str:
    """The kernel setting that forbids user namespaces here, with what allows them, or "".

    bwrap: the program, for a profile of AppArmor. root: of the machine that is looked at.
    """
    settings = {
        "proc/sys/kernel/unprivileged_userns_clone": ("0", "sysctl kernel.unprivileged_userns_clone=1"),
        _APPARMOR: (
            "1",
            apparmor_profile(bwrap) if bwrap else "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
        ),
        "proc/sys/user/max_user_namespaces": ("0", "sysctl user.max_user_namespaces=15000"),
    }
    for path, (forbidding, remedy) in settings.items():
        try:
            value = (root / path).read_text().strip()
        except OSError:
            continue
        if value == forbidding:
            return f"user namespaces are forbidden by /{path}: {remedy}"
    return ""


def apparmor_profile(bwrap: Path) -> str:
    """What lets this program, and no other, make user namespaces on Ubuntu 24.04 and later."""
    return f"""as root, write this into /etc/apparmor.d/agon-bwrap, and run
apparmor_parser --replace /etc/apparmor.d/agon-bwrap

abi <abi/4.0>,
include <tunables/global>
profile agon-bwrap "{bwrap}" flags=(unconfined) {{
  userns,
}}
"""
