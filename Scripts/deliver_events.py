"""Lets thousands of trials end under two servers that are killed, with a receiver that fails, and judges what it got.

usage: deliver_events.py OFFERD FOLDER --customers N [--seconds S] [--seed N]

Each customer's trial ends within seconds, and auto-renew is off: two events per customer, `subscription.trialEnding` and then
`subscription.accessLost`. Every signature is verified by the `standardwebhooks` package. The receiver refuses some first attempts,
answers some and drops the connection, and is down for a while; one of the two servers is killed every few seconds. In the end
every event must have arrived under one id, in the order of its customer, and `GET /v1/events` must list the same ids.

Exits 0 if all of that is so.
"""

import argparse
import asyncio
import base64
import csv
import datetime
import hashlib
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import threading
import time
import urllib.request

from standardwebhooks.webhooks import Webhook

TYPES = ["subscription.trialEnding", "subscription.accessLost"]


class Receiver:
    """Takes webhooks, and notes the first arrival of each event."""

    def __init__(self, secret: str):
        self.webhook = Webhook(secret)
        self.lock = threading.Lock()
        self.is_down = False
        self.order: list[tuple[str, str, str]] = []  # id, type, customer: first deliveries
        self.bodies: dict[str, bytes] = {}
        self.refused: set[str] = set()
        self.attempts = 0
        self.repeated = 0
        self.faults: list[str] = []
        self.port = 0
        self.loop = asyncio.new_event_loop()
        ready = threading.Event()
        threading.Thread(target=self.run, args=(ready,), daemon=True).start()
        ready.wait()

    def run(self, ready: threading.Event) -> None:
        asyncio.set_event_loop(self.loop)
        server = self.loop.run_until_complete(asyncio.start_server(self.serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        self.loop.run_forever()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                status = self.take(headers, body)
                if status is None:
                    break
                writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n".encode())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def take(self, headers: dict[str, str], body: bytes) -> int | None:
        """The status of the answer; None drops the connection."""
        with self.lock:
            self.attempts += 1
            if self.is_down:
                return None
            event_id = headers.get("webhook-id", "")
            try:
                event = self.webhook.verify(body, headers)
            except Exception as error:  # noqa: BLE001 every refusal of the judge is a fault
                self.faults.append(f"{event_id}: {error}")
                return 400
            if event["id"] != event_id:
                self.faults.append(f"{event_id}: the body has the id {event['id']}")
            # A fixed tenth of the events fails once, in three ways.
            fate = hashlib.sha256(event_id.encode()).digest()[0]
            if fate < 26 and event_id not in self.refused:
                self.refused.add(event_id)
                if fate < 9:
                    return 500
                if fate < 17:
                    return 503
            else:
                fate = 255
            if event_id in self.bodies:
                self.repeated += 1
            else:
                self.bodies[event_id] = body
                customer = ",".join(event.get("customer", {}).get("customerIds", []))
                self.order.append((event_id, event["type"], customer))
            return None if fate < 26 else 204


class Servers:
    def __init__(self, offerd: str, folder: str):
        self.offerd = offerd
        self.folder = folder
        self.processes: list[subprocess.Popen] = []
        self.urls: list[str] = []
        for _ in range(2):
            self.processes.append(None)  # type: ignore[arg-type]
            self.urls.append("")
            self.start(len(self.urls) - 1)

    def start(self, place: int) -> None:
        with open(os.path.join(self.folder, f"serve-{place}.log"), "ab") as log:
            process = subprocess.Popen(
                [self.offerd, "serve", "--config", f"{self.folder}/offerd.yaml", "--listen", "127.0.0.1:0"],
                stdout=subprocess.PIPE, stderr=log, text=True)
        line = process.stdout.readline()
        if not line.startswith("listening on "):
            sys.exit(f"offerd did not start: {line!r}")
        self.processes[place] = process
        self.urls[place] = line.removeprefix("listening on ").strip()

    def kill(self, place: int) -> None:
        self.processes[place].send_signal(signal.SIGKILL)
        self.processes[place].wait()

    def stop(self) -> list[int]:
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        return [process.wait() for process in self.processes]


def run(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout.strip()


def prepare(offerd: str, folder: str, receiver: Receiver, secret: str) -> str:
    """Makes a local offerd with one webhook; gives the token of a support key."""
    run(offerd, "init", folder, "--app", "com.example.pro")
    other = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    with open(f"{folder}/offerd.yaml", "a", encoding="utf-8") as file:
        file.write(
            f"webhooks:\n  - url: http://127.0.0.1:{receiver.port}/events\n    secrets: [{other}, {secret}]\n"
            "    events: [subscription.*]\n    app: com.example.pro\n    perSecond: 10000\n")
    run(offerd, "migrate", "--config", f"{folder}/offerd.yaml")
    return run(
        offerd, "api-keys", "create", "--app", "com.example.pro", "--environment", "LocalTesting", "--role", "support",
        "--config", f"{folder}/offerd.yaml")


def export(path: str, customers: int, end: float) -> None:
    """An export of running trials that end at a time, and will not renew."""
    def text(seconds: float) -> str:
        return datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")

    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([
            "transactionId", "originalTransactionId", "productId", "subscriptionGroupIdentifier", "purchaseDate", "expiresDate",
            "signedDate", "type", "offerType", "offerDiscountType", "customerId", "renewalInfo.autoRenewStatus",
            "renewalInfo.signedDate"])
        for number in range(customers):
            original = str(7_000_000_000_000 + number)
            bought = text(end - 7 * 86_400)
            writer.writerow([
                original, original, "com.example.pro.monthly", "21500001", bought, text(end), bought,
                "Auto-Renewable Subscription", "1", "FREE_TRIAL", f"customer-{number}", "0", text(end - 86_400)])


def feed(url: str, token: str) -> list[dict]:
    events: list[dict] = []
    cursor = ""
    while True:
        request = urllib.request.Request(
            f"{url}/v1/events?limit=200" + (f"&cursor={cursor}" if cursor else ""), headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            page = json.load(answer)
        events += page["items"]
        if "next" not in page:
            return events
        cursor = page["next"]


def judge(receiver: Receiver, listed: list[dict], customers: int) -> list[str]:
    """What is wrong with what arrived."""
    faults = list(receiver.faults[:5])
    wanted = {(kind, f"customer-{number}") for number in range(customers) for kind in TYPES}
    causes = [(kind, customer) for _, kind, customer in receiver.order]
    if len(causes) != len(set(causes)):
        faults.append(f"{len(causes) - len(set(causes))} events arrived under two ids")
    if missing := wanted - set(causes):
        faults.append(f"{len(missing)} events are missing, such as {min(missing)}")
    if surplus := set(causes) - wanted:
        faults.append(f"{len(surplus)} events were not expected, such as {min(surplus)}")
    seen: dict[str, list[str]] = {}
    for _, kind, customer in receiver.order:
        seen.setdefault(customer, []).append(kind)
    if wrong := [customer for customer, kinds in seen.items() if kinds != TYPES]:
        faults.append(f"the events of {len(wrong)} customers are out of order, such as {wrong[0]}: {seen[wrong[0]]}")
    ids = {event["id"] for event in listed if event["type"] in TYPES}
    if ids != set(receiver.bodies):
        faults.append(f"`GET /v1/events` lists {len(ids)} ids, of which {len(ids & set(receiver.bodies))} arrived")
    for event in listed:
        if event["id"] in receiver.bodies and json.loads(receiver.bodies[event["id"]]) != event:
            faults.append(f"{event['id']} is listed with another body")
            break
    return faults


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("offerd")
    parser.add_argument("folder")
    parser.add_argument("--customers", type=int, default=1_000)
    parser.add_argument("--seconds", type=int, default=0, help="when the trials end after the import began")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    chance = random.Random(arguments.seed)
    secret = "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
    receiver = Receiver(secret)
    token = prepare(arguments.offerd, arguments.folder, receiver, secret)
    servers = Servers(arguments.offerd, arguments.folder)
    time.sleep(3)  # The webhook gets the events from the moment that a server has seen it.
    began = time.time()
    seconds = arguments.seconds or 60 + arguments.customers // 80
    export(f"{arguments.folder}/trials.csv", arguments.customers, began + seconds)
    print(run(
        arguments.offerd, "import", "transactions", f"{arguments.folder}/trials.csv", "--app", "com.example.pro", "--environment",
        "LocalTesting", "--config", f"{arguments.folder}/offerd.yaml"), flush=True)
    wanted = 2 * arguments.customers
    kills, newest, progress = 0, time.time(), 0
    outage = (began + seconds / 3, began + seconds / 3 + min(30, seconds / 3))
    next_kill = time.time() + 5
    while len(receiver.bodies) < wanted:
        time.sleep(0.2)
        now = time.time()
        receiver.is_down = outage[0] <= now < outage[1]
        if now >= next_kill:
            place = chance.randrange(2)
            servers.kill(place)
            servers.start(place)
            kills += 1
            next_kill = now + chance.uniform(2, 8)
        if len(receiver.bodies) != progress:
            progress, newest = len(receiver.bodies), now
        if now - max(newest, began + seconds) > 900:
            break
    took = time.time() - began
    # What was delivered and not recorded is sent again.
    time.sleep(35)
    listed = feed(servers.urls[0], token)
    statuses = servers.stop()
    faults = judge(receiver, listed, arguments.customers)
    if statuses != [0, 0]:
        faults.append(f"the servers ended with {statuses}")
    print(
        f"{len(receiver.bodies)} of {wanted} events in {took:.0f} s, {receiver.attempts} attempts, {receiver.repeated} arrived "
        f"again, {len(receiver.refused)} were refused once, {kills} kills, {outage[1] - outage[0]:.0f} s without a receiver")
    for fault in faults:
        print(f"fault: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
