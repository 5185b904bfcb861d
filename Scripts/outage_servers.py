"""Three servers on one database, of which the last may be in a network of its own."""

import os
import pathlib
import re
import secrets
import signal
import subprocess
import time
import urllib.error
import urllib.request

from outage_database import Failed, Pair, run, wait_until

APP, ENVIRONMENT = "com.example.pro", "LocalTesting"
COUNT = 3


class Network:
    """A network namespace behind a bridge: what is inside reaches this machine's end of the bridge, and nothing else.

    The cut is at this machine's end of the cable, so neither side is told: the bridge and the addresses stay, and packets
    disappear.
    """

    def __init__(self, log: pathlib.Path):
        name = f"od{os.getpid()}"
        self.name, self.bridge, self.cable = name, f"{name}b", f"{name}c"
        # Of the networks for measurements (RFC 2544), which nothing else uses.
        network = f"198.18.{secrets.randbelow(256)}"
        self.here, self.inside = f"{network}.1", f"{network}.2"
        self.log = log
        try:
            self.ip("netns", "add", name)
            self.ip("link", "add", self.bridge, "type", "bridge")
            self.ip("address", "add", f"{self.here}/24", "dev", self.bridge)
            self.ip("link", "add", self.cable, "type", "veth", "peer", "name", "cable", "netns", name)
            self.ip("link", "set", self.cable, "master", self.bridge)
            self.ip("-n", name, "address", "add", f"{self.inside}/24", "dev", "cable")
            for link in (self.bridge, self.cable):
                self.ip("link", "set", link, "up")
            for link in ("lo", "cable"):
                self.ip("-n", name, "link", "set", link, "up")
        except Failed:
            self.remove()
            raise

    def ip(self, *arguments: str) -> None:
        run("ip", *arguments, log=self.log)

    def cut(self) -> None:
        self.ip("link", "set", self.cable, "down")

    def join(self) -> None:
        self.ip("link", "set", self.cable, "up")

    def remove(self) -> None:
        for arguments in (("netns", "delete", self.name), ("link", "delete", self.bridge), ("link", "delete", self.cable)):
            subprocess.run(
                ["ip", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


class Servers:
    def __init__(self, offerd: pathlib.Path, folder: pathlib.Path, database: Pair, network: Network | None, preload: str):
        """- preload: a library that keeps a server on this machine; the last one's network does that."""
        self.offerd = offerd
        self.folder = folder
        self.database = database
        self.network = network
        self.preload = preload
        self.log = folder.parent / "commands.log"
        self.processes: list[subprocess.Popen | None] = [None] * COUNT
        self.urls = [""] * COUNT

    def name(self, place: int) -> str:
        return f"offerd-{place}"

    def command(self, *arguments: str) -> str:
        return run(self.offerd, *arguments, log=self.log)

    def prepare(self, catalog: str) -> str:
        """Makes the installation, starts the servers and applies a catalog; gives the token of a client."""
        configuration = self.folder / "offerd.yaml"
        self.command("init", str(self.folder), "--app", APP)
        text, count = re.subn(
            r"(?m)^database: .*$", f"database: {self.database.url('127.0.0.1', 'offerd')}", configuration.read_text(encoding="utf-8"))
        if count != 1:
            raise Failed("offerd.yaml as `offerd init` writes it names no database")
        configuration.write_text(text + "\nrateLimits: off\n", encoding="utf-8")
        self.command("migrate", "--config", str(configuration))
        tokens = [
            self.command(
                "api-keys", "create", "--app", APP, "--environment", ENVIRONMENT, "--role", role, "--config", str(configuration))
            for role in ("client", "marketing")]
        for place in range(COUNT):
            self.start(place)
        request = urllib.request.Request(
            f"{self.urls[0]}/v1/catalog", catalog.encode(), method="PUT",
            headers={"Authorization": f"Bearer {tokens[1]}", "Content-Type": "application/yaml", "If-Match": '"0"'})
        try:
            urllib.request.urlopen(request, timeout=30).read()
        except urllib.error.HTTPError as error:
            raise Failed(f"the catalog was answered {error.code} {error.read()[:300]!r}") from error
        return tokens[0]

    def is_inside(self, place: int) -> bool:
        return self.network is not None and place == COUNT - 1

    def start(self, place: int) -> None:
        """Starts a server on a free port, and waits until it is ready."""
        inside = self.is_inside(place)
        here = self.network.here if inside else "127.0.0.1"
        listen = self.network.inside if inside else "127.0.0.1"
        environment = {**os.environ, "OFFERD_DATABASE": self.database.url(here, self.name(place))}
        if self.preload and not inside:
            environment["LD_PRELOAD"] = self.preload
        out = self.folder.parent / f"{self.name(place)}.out"
        with open(out, "wb") as stdout, open(self.folder.parent / f"{self.name(place)}.log", "ab") as log:
            process = subprocess.Popen(
                [*(["ip", "netns", "exec", self.network.name] if inside else []), self.offerd, "serve", "--config",
                 self.folder / "offerd.yaml", "--listen", f"{listen}:0"],
                stdin=subprocess.DEVNULL, stdout=stdout, stderr=log, env=environment)
        self.processes[place] = process

        def has_begun() -> bool:
            if process.poll() is not None:
                raise Failed(f"{self.name(place)} did not start; it ended with {process.returncode}")
            found = re.search(r"^listening on (http\S+)$", out.read_text(encoding="utf-8"), re.MULTILINE)
            if found:
                self.urls[place] = found.group(1)
            return found is not None

        wait_until(has_begun, f"{self.name(place)} does not listen")
        wait_until(lambda: self.is_ready(place), f"{self.name(place)} is not ready")

    def is_ready(self, place: int) -> bool:
        try:
            with urllib.request.urlopen(f"{self.urls[place]}/readyz", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def send(self, place: int, number: signal.Signals) -> None:
        self.processes[place].send_signal(number)

    def end(self, place: int) -> int:
        """Ends a server as its supervisor does, and gives its status."""
        self.send(place, signal.SIGTERM)
        try:
            return self.processes[place].wait(timeout=60)
        except subprocess.TimeoutExpired as late:
            raise Failed(f"{self.name(place)} did not end in 60 s after SIGTERM") from late

    def kill(self, place: int) -> None:
        self.send(place, signal.SIGKILL)
        self.processes[place].wait()

    def ended(self) -> list[str]:
        """The servers that ended by themselves."""
        return [
            f"{self.name(place)} ended with {process.returncode}"
            for place, process in enumerate(self.processes) if process and process.poll() is not None]

    def stop(self) -> None:
        for place, process in enumerate(self.processes):
            if process and process.poll() is None:
                self.send(place, signal.SIGCONT)
                self.send(place, signal.SIGTERM)
        deadline = time.monotonic() + 20
        for process in filter(None, self.processes):
            try:
                process.wait(timeout=max(0.1, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
