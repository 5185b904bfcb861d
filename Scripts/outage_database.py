"""A PostgreSQL primary and its synchronous standby, in a folder of their own."""

import os
import pathlib
import shutil
import socket
import subprocess
import time


class Failed(Exception):
    """What the drill needs does not work."""


def run(*command: str | os.PathLike, log: pathlib.Path, environment: dict[str, str] | None = None) -> str:
    """Runs a command to its end, and gives what it prints."""
    with open(log, "ab") as errors:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True, check=False,
            env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise Failed(f"`{' '.join(map(str, command))}` ended with {done.returncode}; {log} says why")
    return done.stdout.strip()


def wait_until(condition, what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise Failed(f"in {seconds:.0f} s: {what}")
        time.sleep(0.02)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Pair:
    """Two servers, of which one is the primary, with the settings that docs/scale.md recommends."""

    SETTINGS = """max_connections = 200
wal_keep_size = 1GB
wal_retrieve_retry_interval = 500ms
"""

    def __init__(self, programs: pathlib.Path, folder: pathlib.Path, bridge: str = ""):
        """- bridge: an address besides 127.0.0.1 that they listen on, for the network of its first three numbers."""
        self.programs = programs
        self.folder = folder
        self.bridge = bridge
        self.ports = (free_port(), free_port())
        self.primary = 0
        folder.mkdir()
        folder.chmod(0o755)
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")

    @property
    def standby(self) -> int:
        return 1 - self.primary

    def data(self, place: int) -> pathlib.Path:
        return self.folder / f"data-{place}"

    def url(self, host: str, name: str) -> str:
        hosts = ",".join(f"{host}:{port}" for port in self.ports)
        return f"postgres://offerd@{hosts}/offerd?target_session_attrs=read-write&application_name={name}"

    def program(self, name: str, *arguments: str) -> None:
        # PostgreSQL refuses root, and its owner may not enter the current folder.
        owner = ["runuser", "--user", "postgres", "--"] if os.geteuid() == 0 else []
        log = self.folder.parent / "postgres.log"
        with open(log, "ab") as out:
            done = subprocess.run(
                [*owner, self.programs / name, *arguments], stdin=subprocess.DEVNULL, stdout=out, stderr=out, check=False, cwd="/")
        if done.returncode != 0:
            raise Failed(f"{name} ended with {done.returncode}; {log} says why")

    def control(self, place: int, action: str, *arguments: str) -> None:
        self.program("pg_ctl", "--pgdata", str(self.data(place)), "--wait", "--timeout", "60", action, *arguments)

    def start(self) -> None:
        self.program(
            "initdb", "--pgdata", str(self.data(0)), "--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--locale", "C")
        with open(self.data(0) / "postgresql.conf", "a", encoding="utf-8") as file:
            file.write(self.SETTINGS)
        if self.bridge:
            with open(self.data(0) / "pg_hba.conf", "a", encoding="utf-8") as file:
                file.write(f"host all all {self.bridge}/24 trust\n")
        self.launch(0)
        self.query("CREATE ROLE offerd LOGIN", database="postgres")
        self.query("CREATE DATABASE offerd OWNER offerd", database="postgres")
        self.add_standby()

    def launch(self, place: int) -> None:
        addresses = ",".join(filter(None, ["127.0.0.1", self.bridge]))
        self.control(
            place, "start", "--log", str(self.folder / f"server-{place}.log"), "--options",
            f"-c port={self.ports[place]} -c listen_addresses='{addresses}' -c unix_socket_directories='{self.folder}'")

    def stop(self) -> None:
        for place in (0, 1):
            if (self.data(place) / "postmaster.pid").exists():
                try:
                    self.control(place, "stop", "--mode", "immediate")
                except Failed as failure:
                    print(f"warning: {failure}", flush=True)

    def query(self, text: str, place: int | None = None, database: str = "offerd") -> list[list[str]]:
        """The rows of an answer of the primary, or of another place."""
        command = [
            str(self.programs / "psql"), "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--field-separator", "\t",
            "--set", "ON_ERROR_STOP=1", "--host", str(self.folder), "--port", str(self.ports[self.primary if place is None else place]),
            "--username", "postgres", "--dbname", database, "--command", text]
        out = run(*command, log=self.folder.parent / "psql.log")
        return [line.split("\t") for line in out.splitlines()]

    def add_standby(self) -> None:
        """Makes the place that is not the primary its standby, and lets commits wait for it."""
        place = self.standby
        shutil.rmtree(self.data(place), ignore_errors=True)
        self.program(
            "pg_basebackup", "--pgdata", str(self.data(place)), "--checkpoint", "fast", "--wal-method", "stream",
            "--write-recovery-conf", "--dbname",
            f"host={self.folder} port={self.ports[self.primary]} user=postgres application_name=standby")
        self.launch(place)
        self.set_synchronous("standby")
        wait_until(
            lambda: self.query("SELECT sync_state FROM pg_stat_replication WHERE application_name = 'standby'") == [["sync"]],
            "the standby is not synchronous")

    def set_synchronous(self, names: str, place: int | None = None) -> None:
        self.query(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'", place)
        self.query("SELECT pg_reload_conf()", place)

    def restart(self, mode: str) -> None:
        self.control(self.primary, "restart", "--mode", mode, "--log", str(self.folder / f"server-{self.primary}.log"))

    def fail_over(self) -> None:
        """Ends the primary at once, and lets the standby take over alone."""
        self.control(self.primary, "stop", "--mode", "immediate")
        self.set_synchronous("", self.standby)
        self.control(self.standby, "promote")
        self.primary = self.standby

    def connections(self, name: str) -> int:
        """How many connections the primary has of the server of that name."""
        return int(self.query(f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{name}'")[0][0])

    def holds_lock(self, name: str) -> bool:
        """Whether the server of that name has the lock of all writers, and its transaction waits for it to go on."""
        return self.query(
            "SELECT 1 FROM pg_stat_activity JOIN pg_locks USING (pid) WHERE relation = 'store_state'::regclass AND granted"
            f" AND mode = 'RowShareLock' AND state = 'idle in transaction' AND application_name = '{name}'") != []
