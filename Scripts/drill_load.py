"""Asks for signatures until a change has taken effect, and verifies every one of them.

usage: drill_load.py URL TOKEN_FILE CUSTOMERS KEYS UNTIL [CA.pem]

Two clients keep their connection and two connect for each request. Each asks for a new signature of the offer of one of the
customers (a file of appAccountTokens, one a line). UNTIL is a key id, or the serial number of the server's TLS certificate in
hexadecimal. It prints `changing` once requests are answered, so that the caller makes the change; after 50 answers with UNTIL it stops. Then
it verifies each signature with KEYS/<key id>.pem. Exits 0 if no request failed, all signatures are valid, and UNTIL was seen.
"""

import http.client
import itertools
import json
import pathlib
import ssl
import sys
import threading
import time
import urllib.parse

import verify_signatures

url, token_file, customers_file, keys, until = sys.argv[1:6]
address = urllib.parse.urlsplit(url)
token = pathlib.Path(token_file).read_text(encoding="utf-8").strip()
customers = itertools.cycle(pathlib.Path(customers_file).read_text(encoding="utf-8").split())
context = ssl.create_default_context(cafile=sys.argv[6]) if len(sys.argv) > 6 else None
lock = threading.Lock()
answers, failures, seen, after = [], [], set(), 0
deadline = time.monotonic() + 60


def connect() -> http.client.HTTPConnection:
    if context:
        return http.client.HTTPSConnection(address.hostname, address.port, context=context, timeout=30)
    return http.client.HTTPConnection(address.hostname, address.port, timeout=30)


def ask(connection: http.client.HTTPConnection, customer: str) -> tuple[dict, str]:
    """The answer, and the serial number of the certificate."""
    body = {
        "offerId": "comeback-half-price", "formats": ["v1", "v2"], "fresh": True, "customer": {"appAccountToken": customer},
    }
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/issued-offers", json.dumps(body), headers)
    serial = ""
    if context:
        serial = connection.sock.getpeercert()["serialNumber"].lower()
    response = connection.getresponse()
    text = response.read()
    if response.status not in (200, 201):
        raise RuntimeError(f"status {response.status}: {text[:300]!r}")
    return json.loads(text), serial


def client(keeps: bool) -> None:
    global after
    connection = connect()
    while after < 50 and not failures and time.monotonic() < deadline:
        # A steady load, so that there are not more signatures to verify than needed.
        time.sleep(0.02)
        with lock:
            customer = next(customers)
        try:
            if not keeps:
                connection.close()
                connection = connect()
            answer, serial = ask(connection, customer)
        except (OSError, RuntimeError, http.client.HTTPException) as error:
            with lock:
                failures.append(f"{type(error).__name__}: {error}")
            return
        with lock:
            answers.append(answer)
            marks = {answer["signatures"]["v1"]["keyId"]} | ({serial} if serial else set())
            seen.update(marks)
            after += until in marks
            if len(answers) == 50:
                print("changing", flush=True)


threads = [threading.Thread(target=client, args=(number < 2,)) for number in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
invalid = 0
for answer in answers:
    key = answer["signatures"]["v1"]["keyId"]
    header = json.loads(verify_signatures.from_base64url(answer["signatures"]["v2"]["jws"].split(".")[0]))
    results = verify_signatures.check(f"{keys}/{key}.pem", answer)
    invalid += len(results) != 2 or not all(valid for _, valid, _ in results) or header["kid"] != key
print(f"{len(answers)} answers by {', '.join(sorted(seen))}: {len(failures)} failed, {invalid} with a wrong signature")
for failure in failures:
    print(failure)
if after < 50:
    print(f"`{until}` was seen {after} times, not 50")
sys.exit(0 if not failures and not invalid and after >= 50 else 1)
