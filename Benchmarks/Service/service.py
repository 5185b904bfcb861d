"""An offerd of its own for one measurement: key, local App Store, database, tokens, catalog, two customers."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import wrk

HERE = Path(__file__).resolve().parent
CATALOG = (HERE / "catalog.yaml").read_bytes()
APP, ENVIRONMENT, KEY = "com.example.pro", "LocalTesting", "BENCH00001"


class Service:
    def __init__(self, offerd: Path, folder: Path):
        self.offerd = offerd
        self.folder = folder
        self.process: subprocess.Popen | None = None
        self.url = ""
        self.ready_milliseconds = 0.0
        self.environment: dict[str, str] = {}

    @property
    def database(self) -> Path:
        return self.folder / "offers.sqlite"

    def run(self, *arguments: str) -> str:
        return subprocess.run(
            [self.offerd, *arguments], check=True, stdout=subprocess.PIPE, text=True, cwd=self.folder
        ).stdout

    def prepare(
        self, root: list[str] | None = None, load: Callable[["Service", str], None] | None = None
    ) -> None:
        """Makes everything anew, and stops the server again.

        `root` is a command that makes a root in the directory named after it; `offerd dev root` unless given. `load` loads a
        customer by the number of the account; the one of scenario.yaml unless given.
        """
        shutil.rmtree(self.folder, ignore_errors=True)
        (self.folder / "keys").mkdir(parents=True)
        key = f"keys/SubscriptionKey_{KEY}.p8"
        self.run("keys", "generate", "--out", key, "--key-id", KEY)
        if root:
            subprocess.run([*root, self.folder / "root"], check=True)
        else:
            self.run("dev", "root", "--out", "root")
        (self.folder / "offerd.yaml").write_text(
            "listen: 127.0.0.1:0\ndatabase: offers.sqlite\nkeys: keys.yaml\nrateLimits: off\n"
        )
        (self.folder / "keys.yaml").write_text(
            f"""apps:
  - bundleId: {APP}
    appAppleId: 1234567890
    issuerId: 57246542-96fe-1a63-e053-0824d011072a
    environments: [{ENVIRONMENT}]
    keys:
      - {{ keyId: {KEY}, privateKey: {key}, use: signing }}
    trustedRoots: {{ {ENVIRONMENT}: [root/root.der] }}
"""
        )
        self.run("migrate", "--config", "offerd.yaml")
        for role in ("client", "app", "support", "marketing"):
            token = self.run(
                "api-keys", "create", "--app", APP, "--environment", ENVIRONMENT, "--role", role,
                "--config", "offerd.yaml",
            )
            (self.folder / f"token-{role}").write_text(token.strip())
        self.start()
        try:
            self.put_catalog(CATALOG, revision=0)
            for number in ("7040000012", "7040000013"):
                (load or Service.load)(self, number)
            self.post("/v1/issued-offers", {"offerId": "comeback", "customer": {"appTransactionId": "7040000013"}})
        finally:
            self.stop()

    def put_catalog(self, document: bytes, revision: int) -> None:
        """Puts a catalog in force instead of that revision."""
        self.call(
            "PUT", "/v1/catalog", document, "marketing",
            {"If-Match": f'"{revision}"', "Content-Type": "application/yaml"})

    def copy(self, folder: Path) -> "Service":
        """The same with a database of its own, at rest on the disk; the server is stopped."""
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run(["cp", "--recursive", "--reflink=auto", self.folder, folder], check=True)
        os.sync()
        return Service(self.offerd, folder)

    def restore(self, base: "Service") -> None:
        """Takes the database of another one, at rest on the disk, in place of one's own; the server is stopped."""
        for ending in ("", "-wal", "-shm"):
            Path(f"{self.database}{ending}").unlink(missing_ok=True)
        subprocess.run(["cp", "--reflink=auto", base.database, self.database], check=True)
        os.sync()

    def load(self, app_transaction: str) -> None:
        scenario = self.folder / "scenario.yaml"
        scenario.write_text((HERE / "scenario.yaml").read_text().replace("7040000012", app_transaction))
        self.post("/v1/transactions", json.loads(self.run("dev", "sign", "--root", "root", "--scenario", "scenario.yaml")))

    def start(self) -> None:
        """Starts serving; `ready_milliseconds` is the time from the start of the process to its first `/readyz`."""
        log = open(self.folder / "serve.log", "ab")
        began = time.monotonic()
        self.process = subprocess.Popen(
            [self.offerd, "serve", "--config", "offerd.yaml"], stdout=subprocess.PIPE, stderr=log, cwd=self.folder,
            env=dict(os.environ, **self.environment),
        )
        for line in self.process.stdout:
            found = re.match(rb"listening on (http://\S+)", line)
            if found:
                self.url = found.group(1).decode()
                break
        else:
            sys.exit(f"error: offerd did not start\nhint: its log is {self.folder / 'serve.log'}")
        urllib.request.urlopen(f"{self.url}/readyz", timeout=10).read()
        self.ready_milliseconds = (time.monotonic() - began) * 1000

    def stop(self) -> None:
        if self.process:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(timeout=60)
            self.process = None

    def resident_megabytes(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def token(self, role: str) -> str:
        return (self.folder / f"token-{role}").read_text()

    def post(self, path: str, body: dict) -> dict:
        return self.call("POST", path, json.dumps(body).encode(), "client", {"Content-Type": "application/json"})

    def call(self, method: str, path: str, body: bytes, role: str, headers: dict) -> dict:
        request = urllib.request.Request(
            self.url + path, data=body, method=method,
            headers={"Authorization": f"Bearer {self.token(role)}", **headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            sys.exit(f"error: {method} {path} answered {error.code}: {error.read().decode()}")

    def load_with_wrk(
        self, path: str, extra: str, first: int, count: int, connections: int, seconds: int, script: str = "issue.lua"
    ) -> dict:
        """Runs wrk once, every request another of `count` customers, and returns its figures."""
        return wrk.load(
            self.url, script, connections, seconds, BENCH_TOKEN=self.token("client"), BENCH_PATH=path, BENCH_EXTRA=extra,
            BENCH_FIRST=first, BENCH_COUNT=count)
