"""What two hosts run beside offerd: the active one sends copies and its witness, the standby one keeps them.

usage: standby_copies.py send PROGRAM CONFIG FOLDER WITNESS SECONDS URL
       standby_copies.py receive FOLDER HOST:PORT

A file arrives whole or not at all: it is written under another name, flushed, and renamed.
"""

import http.client
import http.server
import os
import pathlib
import subprocess
import sys
import threading
import time
import urllib.parse

KEPT = 3
PATIENCE = 3
# How soon a new line of the witness is sent.
LOOKOUT = 0.2


def put(url: str, name: str, path: pathlib.Path) -> None:
    address = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(address.hostname, address.port, timeout=PATIENCE)
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            # A file that grows meanwhile is sent up to here.
            connection.request("PUT", f"/{name}", file.read(size), {"Content-Length": str(size)})
        response = connection.getresponse()
        response.read()
        if response.status != 200:
            raise OSError(f"{name} was answered {response.status}")
    finally:
        connection.close()


def send_witness(witness: pathlib.Path, url: str) -> None:
    sent = -1
    while True:
        try:
            size = witness.stat().st_size
            if size != sent:
                put(url, "witness", witness)
                sent = size
        except (OSError, http.client.HTTPException) as error:
            print(f"the witness was not sent: {error}", file=sys.stderr, flush=True)
        time.sleep(LOOKOUT)


def send(program: str, config: str, folder: pathlib.Path, witness: str, seconds: float, url: str) -> None:
    threading.Thread(target=send_witness, args=(pathlib.Path(witness), url), daemon=True).start()
    due = time.monotonic()
    while True:
        began = time.time_ns() // 1_000_000
        copy = folder / f"copy-{began}.sqlite"
        try:
            subprocess.run(
                [program, "backup", "--config", config, "--out", copy], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
            put(url, copy.name, copy)
        except (OSError, http.client.HTTPException, subprocess.CalledProcessError) as error:
            print(f"{copy.name} was not sent: {error}", file=sys.stderr, flush=True)
        copy.unlink(missing_ok=True)
        due = max(due + seconds, time.monotonic())
        time.sleep(due - time.monotonic())


class Receiver(http.server.BaseHTTPRequestHandler):
    folder = pathlib.Path()

    def do_PUT(self) -> None:
        name = pathlib.PurePosixPath(self.path).name
        draft = self.folder / f".{name}.part"
        left = int(self.headers["Content-Length"])
        with open(draft, "wb") as file:
            while left > 0 and (chunk := self.rfile.read(min(left, 1 << 20))):
                file.write(chunk)
                left -= len(chunk)
            file.flush()
            os.fsync(file.fileno())
        if left > 0:
            draft.unlink()
            return
        os.replace(draft, self.folder / name)
        for old in sorted(self.folder.glob("copy-*.sqlite"))[:-KEPT]:
            old.unlink(missing_ok=True)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *arguments) -> None:
        pass


def receive(folder: pathlib.Path, address: str) -> None:
    Receiver.folder = folder
    host, _, port = address.rpartition(":")
    http.server.ThreadingHTTPServer((host, int(port)), Receiver).serve_forever()


def main() -> None:
    os.umask(0o077)
    match sys.argv[1:]:
        case ["send", program, config, folder, witness, seconds, url]:
            send(program, config, pathlib.Path(folder), witness, float(seconds), url)
        case ["receive", folder, address]:
            receive(pathlib.Path(folder), address)
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
