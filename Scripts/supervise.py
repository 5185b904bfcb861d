"""Runs a command with a limit of time, and ends every process that it leaves behind.

usage: python3 Scripts/supervise.py SECONDS COMMAND…

Servers that a test starts may form process groups of their own and outlive the test. On Linux this process adopts them (it
is a "child subreaper"), finds them as its descendants, and kills them by their ids. It also does so if its parent ends.

Exit: that of the command, 124 if the time was over, 128 + N if signal N ended the command.
"""

import ctypes
import os
import pathlib
import signal
import subprocess
import sys

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
TIMED_OUT = 124


def adopt_orphans():
    """Makes orphaned descendants children of this process, and asks for SIGTERM when the parent ends."""
    if not sys.platform.startswith("linux"):
        return
    libc = ctypes.CDLL(None, use_errno=True)
    for option, argument in [(PR_SET_CHILD_SUBREAPER, 1), (PR_SET_PDEATHSIG, signal.SIGTERM)]:
        if libc.prctl(option, argument, 0, 0, 0) != 0:
            sys.exit(f"error: prctl {option} failed: {os.strerror(ctypes.get_errno())}")


def descendants():
    """The processes below this one, with their names; those that have ended too, until they are reaped."""
    parents, names = {}, {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            name, _, rest = (entry / "stat").read_text(errors="replace").partition("(")[2].rpartition(")")
        except OSError:
            continue  # it has ended
        parents[int(entry.name)], names[int(entry.name)] = int(rest.split()[1]), name
    found, waiting = {}, [os.getpid()]
    while waiting:
        parent = waiting.pop()
        for process in [process for process, its in parents.items() if its == parent and process not in found]:
            found[process] = names[process]
            waiting.append(process)
    return found


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def end_descendants():
    """Kills and reaps until nothing is left: a process may start another before the signal reaches it."""
    left = {}
    while running := descendants():
        left.update(running)
        for process in running:
            kill(process)
        try:
            os.wait()
        except ChildProcessError:
            break
    return left


def main():
    limit, command = float(sys.argv[1]), sys.argv[2:]
    adopt_orphans()
    process = subprocess.Popen(command, start_new_session=True)

    def stop(number, _):
        end_descendants()
        os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        status = process.wait(timeout=limit)
        status = status if status >= 0 else 128 - status
    except subprocess.TimeoutExpired:
        status = TIMED_OUT
    if sys.platform.startswith("linux"):
        left = end_descendants()
        for number, name in sorted(left.items()):
            print(f"killed, because it was still running: {number} {name}", flush=True)
    elif status == TIMED_OUT:
        os.killpg(process.pid, signal.SIGKILL)
    return status


if __name__ == "__main__":
    sys.exit(main())
