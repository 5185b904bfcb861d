"""Two hosts, each a network namespace with a folder of its own, and what an operator does on them."""

import ctypes
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

from outage_database import Failed, run, wait_until

APP, ENVIRONMENT = "com.example.pro", "LocalTesting"
# All of this is in a network namespace of the script's own, so that these are free.
HERE, PORT, COPIES_PORT = "198.18.0.1", 8080, 8081
CLONE_NEWNET = 0x40000000


class Network:
    """A bridge where the clients and the operator are, and a cable from it to each host."""

    def __init__(self, names: list[str], log: pathlib.Path):
        self.log = log
        self.ip("link", "set", "lo", "up")
        self.ip("link", "add", "bridge", "type", "bridge")
        self.ip("address", "add", f"{HERE}/24", "dev", "bridge")
        self.ip("link", "set", "bridge", "up")
        for number, name in enumerate(names):
            self.ip("netns", "add", name)
            self.ip("link", "add", f"to-{name}", "type", "veth", "peer", "name", "cable", "netns", name)
            self.ip("link", "set", f"to-{name}", "master", "bridge", "up")
            self.ip("-n", name, "address", "add", f"{self.address(number)}/24", "dev", "cable")
            for link in ("lo", "cable"):
                self.ip("-n", name, "link", "set", link, "up")

    @staticmethod
    def address(number: int) -> str:
        return f"198.18.0.{number + 2}"

    def ip(self, *arguments: str) -> None:
        run("ip", *arguments, log=self.log)

    def cut(self, name: str) -> None:
        self.ip("link", "set", f"to-{name}", "down")

    def join(self, name: str) -> None:
        self.ip("link", "set", f"to-{name}", "up")


def enter(name: str) -> None:
    """Moves the calling thread to a host, as a backend that runs there."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open(f"/run/netns/{name}", "rb") as host:
        if libc.setns(host.fileno(), CLONE_NEWNET) != 0:
            raise Failed(f"the host {name} cannot be entered: {os.strerror(ctypes.get_errno())}")


class Clock:
    """The time of the servers, in a file that a thread keeps at this machine's time and what was added."""

    def __init__(self, path: pathlib.Path):
        self.path = path
        self.ahead = 0
        self.is_ended = False
        self.write()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def now(self) -> int:
        return time.time_ns() // 1_000_000 + self.ahead

    def write(self) -> None:
        draft = self.path.with_suffix(".new")
        draft.write_text(f"{self.now()}\n", encoding="ascii")
        os.replace(draft, self.path)

    def run(self) -> None:
        while not self.is_ended:
            time.sleep(0.05)
            self.write()

    def end(self) -> None:
        self.is_ended = True
        self.thread.join()

    def advance(self, milliseconds: int) -> None:
        self.ahead += milliseconds
        wait_until(
            lambda: abs(int(self.path.read_text(encoding="ascii")) - self.now()) < 1_000, "the clock does not go on")


class Host:
    def __init__(self, name: str, number: int, offerd: pathlib.Path, folder: pathlib.Path, clock: Clock):
        self.name = name
        self.address = Network.address(number)
        self.url = f"http://{self.address}:{PORT}"
        self.offerd = offerd
        self.folder = folder
        self.clock = clock
        self.config = folder / "offerd.yaml"
        self.witness = folder / "witness" / "offers.witness"
        self.log = folder.parent / f"commands-{name}.log"
        self.processes: list[subprocess.Popen] = []
        self.server: subprocess.Popen | None = None

    def command(self, *arguments: str | os.PathLike) -> str:
        return run("ip", "netns", "exec", self.name, self.offerd, *arguments, log=self.log)

    def succeeds(self, *arguments: str | os.PathLike) -> bool:
        try:
            self.command(*arguments)
        except Failed:
            return False
        return True

    def launch(self, what: str, *command: str | os.PathLike) -> subprocess.Popen:
        with open(self.folder.parent / f"{what}-{self.name}.log", "ab") as log:
            # `ip` becomes the command, so this is its process.
            process = subprocess.Popen(
                ["ip", "netns", "exec", self.name, *command], stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.processes.append(process)
        return process

    def install(self) -> None:
        self.command("init", self.folder, "--app", APP)
        self.witness.parent.mkdir()
        self.edit(self.config, r"^listen: .*$", f"listen: {self.address}:{PORT}")
        self.edit(self.config, r"\Z", "rateLimits: off\n")
        self.edit(self.folder / "keys.yaml", r"^audit: \{ ", "audit: { witness: witness/offers.witness, ")
        self.command("migrate", "--config", self.config)

    def install_like(self, other: "Host") -> None:
        """The same configuration and keys, no database."""
        shutil.copytree(other.folder, self.folder, ignore=shutil.ignore_patterns("offers.sqlite*", "witness", "copies"))
        (self.folder / "witness").mkdir()
        self.edit(self.config, r"^listen: .*$", f"listen: {self.address}:{PORT}")

    @staticmethod
    def edit(path: pathlib.Path, pattern: str, replacement: str) -> None:
        text, count = re.subn(f"(?m){pattern}", replacement, path.read_text(encoding="utf-8"), count=1)
        if count != 1:
            raise Failed(f"{path.name} is not as `offerd init` writes it: there is no `{pattern}`")
        path.write_text(text, encoding="utf-8")

    def token(self, role: str) -> str:
        return self.command(
            "api-keys", "create", "--app", APP, "--environment", ENVIRONMENT, "--role", role, "--config", self.config)

    def start(self) -> None:
        """Starts the server, and waits until it is ready."""
        self.server = self.launch("serve", self.offerd, "serve", "--config", self.config, "--clock-file", self.clock.path)

        def has_begun() -> bool:
            if self.server.poll() is not None:
                raise Failed(f"the server of {self.name} ended with {self.server.returncode}")
            return self.is_ready()

        wait_until(has_begun, f"the server of {self.name} is not ready")

    def is_ready(self, patience: float = 1) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=patience) as answer:
                return answer.status == 200
        except OSError:
            return False

    def apply(self, catalog: str, token: str) -> None:
        request = urllib.request.Request(
            f"{self.url}/v1/catalog", catalog.encode(), method="PUT",
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/yaml", "If-Match": '"0"'})
        try:
            urllib.request.urlopen(request, timeout=30).read()
        except urllib.error.HTTPError as error:
            raise Failed(f"the catalog was answered {error.code} {error.read()[:300]!r}") from error

    def send_copies(self, other: "Host", seconds: int) -> None:
        (self.folder / "copies").mkdir()
        self.launch(
            "send", sys.executable, SCRIPT, "send", self.offerd, self.config, self.folder / "copies", self.witness, str(seconds),
            f"http://{other.address}:{COPIES_PORT}")

    def receive_copies(self) -> None:
        (self.folder / "copies").mkdir()
        self.launch("receive", sys.executable, SCRIPT, "receive", self.folder / "copies", f"{self.address}:{COPIES_PORT}")

    def copies(self) -> list[pathlib.Path]:
        return sorted((self.folder / "copies").glob("copy-*.sqlite"))

    def switch_off(self) -> None:
        """As a power switch does: all that runs on the host ends at once."""
        while numbers := run("ip", "netns", "pids", self.name, log=self.log).split():
            for number in numbers:
                try:
                    os.kill(int(number), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            for process in self.processes:
                process.poll()
        for process in self.processes:
            process.wait()
        self.processes = []

    def stop(self) -> None:
        """Ends the server in order, and the rest."""
        if self.server and self.server.poll() is None:
            self.server.terminate()
            try:
                self.server.wait(timeout=30)
            except subprocess.TimeoutExpired:
                pass
        self.switch_off()


SCRIPT = pathlib.Path(__file__).resolve().parent / "standby_copies.py"
