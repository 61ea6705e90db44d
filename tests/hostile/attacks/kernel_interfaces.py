"""Uses kernel interfaces with a history of holes. Expect: held"""
import ctypes
from hostile import on, refused, syscall

def go():
    zeros = (ctypes.c_ulong * 32)()
    calls = {
        "bpf": on(321, 280), "perf_event_open": on(298, 241), "userfaultfd": on(323, 282), "io_uring_setup": 425,
        "add_key": on(248, 217), "keyctl": on(250, 219), "request_key": on(249, 218), "init_module": on(175, 105),
        "finit_module": on(313, 273), "delete_module": on(176, 106), "kexec_load": on(246, 104),
        "open_by_handle_at": on(304, 265), "name_to_handle_at": on(303, 264), "fanotify_init": on(300, 262),
        "swapon": on(167, 224), "acct": on(163, 89), "quotactl": on(179, 60), "syslog": on(103, 116),
        "memfd_secret": 447, "settimeofday": on(164, 170), "sethostname": on(170, 161), "reboot": on(169, 142),
        "ptrace": on(101, 117), "setxattrat": 463, "a call of the future": 999,
    }
    tries = []
    for name, number in calls.items():
        def attempt(number=number):
            return syscall(number, zeros, 0, 0, 0, 0)
        attempt.__name__ = name
        tries.append(attempt)
    return refused(*tries)
