#!/usr/bin/env python3
"""Plays the neighbours of a server under test: an App Store that knows some customers, and the webhook of an app's backend.

usage: neighbours.py FOLDER

Prints its address and serves until it is stopped. FOLDER/apple/ORDER.json is what Apple signed for the customer of an order, as
`offerd dev sign` prints it; a file that is added is known at once. `POST /webhook` adds a line to FOLDER/received.jsonl; while there is
FOLDER/down, it is answered 503.
"""

import base64
import json
import pathlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

folder = pathlib.Path(sys.argv[1])
UNKNOWN = {"errorCode": 4040010, "errorMessage": "Transaction id not found."}


def payload(signed: str) -> dict:
    part = signed.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def account(identifier: str) -> dict | None:
    """The customer with this transaction."""
    for path in sorted((folder / "apple").glob("*.json")):
        known = json.loads(path.read_text())
        for signed in known["signedTransactions"]:
            if identifier in (payload(signed).get("transactionId"), payload(signed).get("originalTransactionId")):
                return known
    return None


def answer(path: str) -> dict | None:
    """What the App Store Server API answers; `None` for a transaction that it does not know."""
    call, _, identifier = path.partition("?")[0].rpartition("/")
    if call == "/inApps/v1/lookup":
        order = folder / "apple" / f"{pathlib.PurePath(identifier).name}.json"
        if not order.exists():
            return {"status": 1}
        return {"status": 0, "signedTransactions": json.loads(order.read_text())["signedTransactions"]}
    known = account(identifier)
    if known is None:
        return None
    if call == "/inApps/v2/history":
        return {"signedTransactions": known["signedTransactions"], "revision": "1", "hasMore": False}
    if call == "/inApps/v1/subscriptions":
        renewals = [(payload(signed), signed) for signed in known.get("signedRenewalInfo", [])]
        last = {payload(signed)["originalTransactionId"]: signed for signed in known["signedTransactions"]}
        return {"data": [
            {"subscriptionGroupIdentifier": payload(last[renewal["originalTransactionId"]])["subscriptionGroupIdentifier"],
             "lastTransactions": [{
                 "originalTransactionId": renewal["originalTransactionId"], "status": 1, "signedRenewalInfo": signed,
                 "signedTransactionInfo": last[renewal["originalTransactionId"]]}]}
            for renewal, signed in renewals]}
    if call == "/inApps/v1/transactions/appTransactions" and "signedAppTransaction" in known:
        return {"signedAppTransactionInfo": known["signedAppTransaction"]}
    return None


class Neighbours(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, status: int, body: dict) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def do_GET(self) -> None:
        found = answer(self.path)
        self.reply(404 if found is None else 200, UNKNOWN if found is None else found)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.startswith("/inApps/v1/notifications/history"):
            return self.reply(200, {"notificationHistory": [], "hasMore": False})
        if self.path != "/webhook":
            return self.reply(404, UNKNOWN)
        if (folder / "down").exists():
            return self.reply(503, {})
        line = {"id": self.headers.get("webhook-id"), "event": json.loads(body)}
        with open(folder / "received.jsonl", "a", encoding="utf-8") as received:
            received.write(json.dumps(line) + "\n")
        self.reply(200, {})

    def log_message(self, *_: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    def handle_error(self, request, client_address) -> None:
        """A server that stops leaves its requests; all else is worth reading."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


server = Server(("127.0.0.1", 0), Neighbours)
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
