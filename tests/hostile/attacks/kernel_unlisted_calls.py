"""Makes calls, and asks for options and controls, that no language needs. Expect: held"""
import ctypes, fcntl, os
from hostile import on, refused, syscall

# Numbers without a call, fchmodat2 and map_shadow_stack. 335 and 336 end a process, whatever a filter says.
GAPS = [*(range(337, 424) if on(True, False) else range(295, 424)), 452, 453]
CALLS = {  # mincore, mlockall, mlock2, rt_sigqueueinfo, rt_tgsigqueueinfo, ioprio_get, inotify_rm_watch, pkey_alloc
    *(on(27, 232), on(151, 230), on(325, 284), on(129, 138), on(297, 240), on(252, 31), on(255, 28), on(330, 289)),
    *GAPS,
}
OPTIONS = (  # of prctl: memory map, I/O flusher, machine checks, performance events, syscall dispatch, timing
    *(35, 57, 33, 31, 32, 59, 14, 13),
)
CONTROLS = (  # FIEMAP, FICLONE, FIDEDUPERANGE, FIFREEZE, FIOASYNC, RNDADDTOENTCNT, FITRIM, TUNSETIFF, KVM, ext4
    *(0xC020660B, 0x40049409, 0xC0189436, 0xC0045877, 0x5452, 0x40045201, 0xC0185879, 0x400454CA, 0xAE00),
    *(0x80086601, 0x40086602, 0x5460, 0x5441),
)

def go():
    zeros = (ctypes.c_ulong * 32)()
    tries = []
    def attempt(name, action):
        action.__name__ = name
        tries.append(action)
    for number in CALLS:
        attempt(f"call {number}", lambda number=number: syscall(number, zeros, 4096, zeros, 0, 0))
    for option in OPTIONS:
        attempt(f"option {option}", lambda option=option: syscall(on(157, 167), option, 1, 0, 0, 0))
    file, (out, _) = os.open("/usr/bin/env", os.O_RDONLY), os.pipe()
    for control in CONTROLS:
        for fd in (file, out):
            attempt(f"control {control:x}", lambda fd=fd, control=control: fcntl.ioctl(fd, control, bytes(64)))
    # Anything else would be an answer of the call itself.
    return refused(*tries, also={22, 25})
