"""The peer (../Peer) under uvicorn with two workers: FastAPI with Apple's Python library, on the same work."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import wrk

HERE = Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "Peer"


def prepare(python: Path, folder: Path, customers: int) -> None:
    """Makes a database with so many customers of twelve transactions each, and the token of a client."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    made = subprocess.run(
        [python, PROGRAMS / "prepare.py", folder / "peer.sqlite", str(customers)], check=True, stdout=subprocess.PIPE,
        text=True)
    (folder / "token").write_text(made.stdout.strip())


class Peer:
    """A running peer with a copy of a prepared database."""

    def __init__(self, python: Path, base: Path, folder: Path, key: Path):
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["cp", "--recursive", "--reflink=auto", base, folder], check=True)
        os.sync()
        self.database = folder / "peer.sqlite"
        self.token = (folder / "token").read_text()
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        with open(folder / "peer.log", "ab") as log:
            self.process = subprocess.Popen(
                [python, "-m", "uvicorn", "--app-dir", PROGRAMS, "app:app", "--workers", "2", "--port", str(port), "--loop",
                 "uvloop", "--http", "httptools", "--no-access-log", "--log-level", "warning"],
                env=dict(os.environ, PEER_KEY=str(key), PEER_DATABASE=str(self.database)), start_new_session=True,
                stdout=log, stderr=log,
            )
        for _ in range(300):
            try:
                urllib.request.urlopen(self.url, timeout=1)
            except urllib.error.HTTPError:
                # Both workers listen on one socket; the second is up a moment after the first.
                time.sleep(1)
                return
            except OSError:
                time.sleep(0.1)
        self.stop()
        sys.exit(f"error: the peer did not start\nhint: its log is {folder / 'peer.log'}")

    def load_with_wrk(self, path: str, extra: str, first: int, count: int, connections: int, seconds: int) -> dict:
        """As `Service.load_with_wrk` does."""
        return wrk.load(
            self.url, "issue.lua", connections, seconds, BENCH_TOKEN=self.token, BENCH_PATH=path, BENCH_EXTRA=extra,
            BENCH_FIRST=first, BENCH_COUNT=count)

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait(timeout=60)
