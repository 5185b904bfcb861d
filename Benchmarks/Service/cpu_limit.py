"""A limit of processor time for a process, as a container has it: a control group of Linux, of version 1 or 2."""

import os
import tempfile
import time
from pathlib import Path

# µs. Much shorter than usual, so that a server that has used its share while it holds a lock soon goes on.
PERIOD = 10_000


class Unlimited(Exception):
    """Why no limit can be set here."""


class CPULimit:
    """A control group for one process after the other; removed by `remove`."""

    def __init__(self, cores: float):
        mount, version = mounted()
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="offerd-bench-", dir=mount))
        except OSError as error:
            raise Unlimited(f"no control group can be made: {error.strerror}") from error
        quota = int(cores * PERIOD)
        try:
            if version == 1:
                self.write("cpu.cfs_period_us", PERIOD)
                self.write("cpu.cfs_quota_us", quota)
            else:
                self.write("cpu.max", f"{quota} {PERIOD}")
        except OSError as error:
            self.remove()
            raise Unlimited(f"a control group does not take a limit: {error.strerror}") from error

    def write(self, name: str, value: object) -> None:
        # Never makes a file: one that is missing says that the group has no such limit.
        file = os.open(self.folder / name, os.O_WRONLY)
        try:
            os.write(file, str(value).encode())
        finally:
            os.close(file)

    def add(self, process: int) -> None:
        """Limits a process with all its threads."""
        self.write("cgroup.procs", process)

    def remove(self) -> None:
        """The processes in it have ended; their last threads may take a moment."""
        until = time.monotonic() + 10
        while True:
            try:
                self.folder.rmdir()
                return
            except OSError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)


def mounted() -> tuple[Path, int]:
    """Where control groups for processor time are, and of which version they are."""
    for line in Path("/proc/mounts").read_text().splitlines():
        _, place, kind, options = line.split()[:4]
        if kind == "cgroup" and "cpu" in options.split(","):
            return Path(place), 1
        if kind == "cgroup2" and "cpu" in (Path(place) / "cgroup.controllers").read_text().split():
            return Path(place), 2
    raise Unlimited("this machine has no control groups for processor time")
