"""What one measurement is run with, and the databases that are made once for all its parts."""

import hashlib
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import peer
from service import HERE, KEY, Service



@dataclass
class Settings:
    offerd: Path
    programs: Path
    python: Path
    folder: Path
    quick: bool
    runs: int
    seconds: int
    connections: list[int]
    customers: int
    minutes: float
    began: float = field(default_factory=time.monotonic)

    def say(self, text: str) -> None:
        """A line of progress, with the minutes since the beginning."""
        print(f"  {(time.monotonic() - self.began) / 60:5.1f} min  {text}", file=sys.stderr, flush=True)

    def program(self, name: str) -> Path:
        return self.programs / name

    @property
    def key(self) -> Path:
        return self.folder / "base" / "keys" / f"SubscriptionKey_{KEY}.p8"

    def base(self, name: str = "base", askers: int | None = None, issued: int = 0) -> Service:
        """A database with so many customers who may ask; one of an earlier run of the same programs is used again."""
        askers = askers or self.customers
        service = Service(self.offerd, self.folder / name)
        mark = self.folder / f"{name}.made-by"
        digest = self.digest(askers, issued)
        if mark.exists() and mark.read_text() == digest:
            self.say(f"using the database `{name}` of an earlier run")
            return service
        mark.unlink(missing_ok=True)
        self.say(f"making the database `{name}`: {askers:,} customers with twelve transactions, {issued:,} issued offers")
        service.prepare([self.python, HERE / "chain.py", "root"])
        subprocess.run(
            [sys.executable, HERE / "populate.py", service.database, "--askers", str(askers), "--issued", str(issued)],
            check=True, stderr=subprocess.DEVNULL)
        mark.write_text(digest)
        return service

    def peer_base(self) -> Path:
        """The same customers for the peer."""
        folder = self.folder / "peer-base"
        mark = self.folder / "peer-base.made-by"
        digest = self.digest(self.customers, 0)
        if not mark.exists() or mark.read_text() != digest:
            mark.unlink(missing_ok=True)
            self.say(f"making the peer's database: {self.customers:,} customers")
            peer.prepare(self.python, folder, self.customers)
            mark.write_text(digest)
        return folder

    def digest(self, askers: int, issued: int) -> str:
        """Changes with everything that a prepared database is made of; its customers also grow old."""
        found = hashlib.sha256(f"{askers} {issued} {time.strftime('%Y-%m-%d')}".encode())
        for file in (self.offerd, HERE / "populate.py", HERE / "catalog.yaml", HERE / "scenario.yaml", HERE / "chain.py",
                     HERE.parent / "Peer" / "prepare.py"):
            found.update(file.read_bytes())
        return found.hexdigest()

    def work(self, base: Service, name: str = "work") -> Service:
        """A copy of a database to be written into."""
        return base.copy(self.folder / name)

    def forget(self, name: str) -> None:
        """Removes a prepared database."""
        (self.folder / f"{name}.made-by").unlink(missing_ok=True)
        self.clean(name)

    def clean(self, name: str) -> None:
        shutil.rmtree(self.folder / name, ignore_errors=True)
