"""A PostgreSQL server of the benchmark's own, as in production, and databases in it with the customers of an SQLite one."""

import os
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from service import HERE, Service

OPTIONS = {
    "listen_addresses": "", "fsync": "on", "synchronous_commit": "on", "shared_buffers": "1GB", "max_wal_size": "4GB",
    "max_connections": "300",
}
# As a text that COPY reads, on one line.
ESCAPES = str.maketrans({"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"})


class Cluster:
    """Runs from `start` to `stop`; its files are removed then."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.programs = programs()
        self.far: subprocess.Popen | None = None
        self.clean()
        folder.mkdir(parents=True)
        # The path of a socket has at most 107 bytes, and any user of the machine may open one in a folder that all may enter.
        self.sockets = Path(tempfile.mkdtemp(prefix="offerd-bench-"))
        self.far_sockets = Path(tempfile.mkdtemp(prefix="offerd-bench-"))

    def start(self) -> None:
        if os.geteuid() == 0:
            for owned in (self.folder, self.sockets):
                shutil.chown(owned, "postgres")
        options = dict(OPTIONS, unix_socket_directories=str(self.sockets))
        self.control(
            "initdb", "--username", "postgres", "--auth", "trust", "--encoding", "UTF8", "--locale", "C", "--no-sync")
        self.control(
            "pg_ctl", "--log", self.folder / "log", "--wait", "--options",
            " ".join(f"-c {name}='{value}'" for name, value in options.items()), "start")
        self.version = self.ask("postgres", "SHOW server_version").split()[0]

    def control(self, program: str, *arguments: object) -> None:
        """Runs a program as the owner of the files: PostgreSQL refuses root."""
        owner = ["runuser", "--user", "postgres", "--"] if os.geteuid() == 0 else []
        log = self.folder / "control.log"
        with open(log, "ab") as output:
            done = subprocess.run(
                [*owner, self.programs / program, "--pgdata", self.folder / "data", *arguments], cwd="/",
                stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        if done.returncode != 0:
            print(log.read_text(), file=sys.stderr)
            sys.exit(
                f"error: `{program}` of PostgreSQL failed\nhint: it says above why; the user `postgres` must be able to enter "
                f"`{self.folder}`")

    def stop(self) -> None:
        if self.far:
            self.far.terminate()
            self.far.wait(timeout=60)
        self.clean()
        for folder in (self.sockets, self.far_sockets):
            shutil.rmtree(folder, ignore_errors=True)

    def clean(self) -> None:
        """Removes the files; a server that an interrupted run has left on them ends first."""
        if (self.folder / "data" / "postmaster.pid").exists():
            self.control("pg_ctl", "--mode", "immediate", "--wait", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def psql(self, database: str, *commands: str, host: Path | None = None) -> list[object]:
        words = [word for command in commands for word in ("--command", command)]
        return [
            self.programs / "psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set", "ON_ERROR_STOP=1",
            "--host", host or self.sockets, "--username", "postgres", "--dbname", database, *words]

    def ask(self, database: str, *commands: str) -> str:
        return subprocess.run(
            self.psql(database, *commands), check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout.strip()

    def number(self, database: str, question: str) -> int:
        return int(self.ask(database, question))

    def create(self, name: str, template: str | None = None) -> None:
        """Makes a new database, at rest on the disk, in place of an old one: empty, or a copy of the template, which nothing may use."""
        self.drop(name)
        self.ask("postgres", f"CREATE DATABASE {name}" + (f" TEMPLATE {template} STRATEGY file_copy" if template else ""))
        self.ask("postgres", "CHECKPOINT")

    def drop(self, name: str) -> None:
        self.ask("postgres", "SET client_min_messages = warning", f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def url(self, database: str, is_far: bool = False) -> str:
        return f"postgres://postgres@/{database}?host={self.far_sockets if is_far else self.sockets}"

    def service(self, base: Service, folder: Path, database: str, is_far: bool = False) -> Service:
        """A server with the keys and tokens of another, on a database that is there."""
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(base.folder, folder, ignore=shutil.ignore_patterns(f"{base.database.name}*", "*.log"))
        configuration = folder / "offerd.yaml"
        configuration.write_text(re.sub(
            r"(?m)^database: .*$", lambda _: f"database: {self.url(database, is_far)}", configuration.read_text()))
        return Service(base.offerd, folder)

    def start_far(self, folder: Path, microseconds: int) -> None:
        """Starts the proxy behind `url(…, is_far=True)`."""
        program = folder / "far_server"
        subprocess.run(["cc", "-O2", "-o", program, HERE / "far_server.c"], check=True)
        name = ".s.PGSQL.5432"
        self.far = subprocess.Popen(
            [program, self.far_sockets / name, self.sockets / name, str(microseconds)], stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE)
        if self.far.stdout.readline() != b"ready\n":
            sys.exit(f"error: `{program}` does not listen\nhint: it says above why")

    def trip(self, is_far: bool) -> float:
        """The median time in ms of a question that costs the server nothing."""
        answer = subprocess.run(
            self.psql("postgres", host=self.far_sockets if is_far else None), check=True, stdout=subprocess.PIPE, text=True,
            input="\\timing on\n" + "SELECT 1;\n" * 200).stdout
        return statistics.median(float(time) for time in re.findall(r"Time: ([\d.]+) ms", answer))


def programs() -> Path:
    """The folder of the newest version's programs; Debian keeps them out of PATH."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: float(path.parts[-3]))
    program = found[-1] if found else shutil.which("initdb")
    if not program:
        sys.exit("error: PostgreSQL is not installed\nhint: on Debian: apt-get install postgresql")
    return Path(program).parent


def move(base: Service, cluster: Cluster, name: str, folder: Path) -> None:
    """Makes a database with all that an SQLite one has. `folder` is for a configuration that names it, and is removed."""
    cluster.create(name)
    service = cluster.service(base, folder, name)
    service.run("migrate", "--config", "offerd.yaml")
    shutil.rmtree(folder)
    columns: dict[str, list[str]] = {}
    listed = cluster.ask(
        name,
        """
        SELECT table_name || ' ' || column_name FROM information_schema.columns JOIN information_schema.tables
            USING (table_schema, table_name)
        WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND table_name NOT IN ('migration', 'commit_mark', 'elected')
        ORDER BY table_name, ordinal_position
        """)
    for line in listed.splitlines():
        table, column = line.split()
        columns.setdefault(table, []).append(column)
    cluster.ask(name, f"TRUNCATE {', '.join(columns)}")
    database = sqlite3.connect(base.database)
    for table, names in columns.items():
        copy_rows(database.execute(f"SELECT {', '.join(names)} FROM {table}"), cluster, name, f"{table} ({', '.join(names)})")
    database.close()
    numbered = cluster.ask(
        name, "SELECT table_name || ' ' || column_name FROM information_schema.columns WHERE is_identity = 'YES'")
    for line in numbered.splitlines():
        table, column = line.split()
        cluster.ask(name, f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), max({column})) FROM {table}")
    cluster.ask(name, "VACUUM (ANALYZE, FREEZE)")


def copy_rows(rows: Iterable[tuple], cluster: Cluster, database: str, table: str) -> None:
    # References point in both directions, and the rows of a table come before those that they refer to.
    loading = subprocess.Popen(
        cluster.psql(database, "SET session_replication_role = replica", f"COPY {table} FROM STDIN"), stdin=subprocess.PIPE)
    with loading.stdin as file:
        for row in rows:
            file.write(("\t".join(map(copied, row)) + "\n").encode())
    if loading.wait() != 0:
        sys.exit(f"error: PostgreSQL did not take the rows of `{table}`\nhint: it says above why")


def copied(value: object) -> str:
    """A value as COPY reads it."""
    if value is None:
        return "\\N"
    if isinstance(value, bytes):
        return "\\\\x" + value.hex()
    return value.translate(ESCAPES) if isinstance(value, str) else str(value)
