"""What stops a command that has to tidy up."""

import signal


def stop_as_by_ctrl_c() -> None:
    """From now on, SIGTERM and a terminal that is closed raise KeyboardInterrupt, as Ctrl-C does.

    What is half done is then removed. Under `nohup` a closed terminal still stops nothing.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.default_int_handler)
