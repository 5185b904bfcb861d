"""Asks for offers through a proxy until it gets SIGTERM, as a backend does, and notes what it was given.

usage: replicas_load.py TOKEN_FILE CUSTOMERS CA.pem OUT [--without-keys]

Four clients ask https://offers.example.com:8443 for a fresh signature for one of the customers (a file of appAccountTokens, one a
line), 20 times a second each, under a new Idempotency-Key each time. After a 503 or a lost connection they send the same request again
under the same key, for up to 60 s. It prints `asking` after 50 answers, and at the end one line of counts. OUT gets the nonce of each signature.
With --without-keys they send no key, and send nothing again.

Exit: 0 each request was answered with 200 or 201, 1 one was not.
"""

import http.client
import itertools
import json
import pathlib
import signal
import ssl
import sys
import threading
import time
import uuid

token_file, customers_file, authority, out = sys.argv[1:5]
has_keys = "--without-keys" not in sys.argv
token = pathlib.Path(token_file).read_text(encoding="utf-8").strip()
customers = itertools.cycle(pathlib.Path(customers_file).read_text(encoding="utf-8").split())
context = ssl.create_default_context(cafile=authority)
lock = threading.Lock()
stopped = threading.Event()
nonces, failures, repeated, times = [], [], [], []


def ask(connection: http.client.HTTPSConnection, body: str, key: str) -> dict:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    connection.request("POST", "/v1/issued-offers", body, headers | ({"Idempotency-Key": key} if has_keys else {}))
    response = connection.getresponse()
    text = response.read()
    if response.status not in (200, 201):
        raise RuntimeError(f"status {response.status}: {text[:400]!r}")
    return json.loads(text)


def client() -> None:
    connection = http.client.HTTPSConnection("offers.example.com", 8443, context=context, timeout=45)
    while not stopped.is_set():
        time.sleep(0.05)
        with lock:
            customer = next(customers)
        body = json.dumps({
            "offerId": "comeback-half-price", "formats": ["v1", "v2"], "fresh": True, "customer": {"appAccountToken": customer},
        })
        key, began = str(uuid.uuid4()), time.monotonic()
        while True:
            try:
                answer = ask(connection, body, key)
            except (OSError, RuntimeError, http.client.HTTPException) as error:
                connection.close()
                again = has_keys and time.monotonic() < began + 60
                with lock:
                    (repeated if again else failures).append(f"{type(error).__name__}: {error}")
                if not again:
                    break
                # What Retry-After says.
                time.sleep(1)
                continue
            with lock:
                nonces.append(answer["signatures"]["v1"]["nonce"])
                times.append(time.monotonic() - began)
                if len(nonces) == 50:
                    print("asking", flush=True)
            break


signal.signal(signal.SIGTERM, lambda *_: stopped.set())
threads = [threading.Thread(target=client) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
pathlib.Path(out).write_text("".join(f"{nonce}\n" for nonce in nonces), encoding="utf-8")
print(f"{len(nonces)} answers, {len(set(nonces))} signatures, {len(repeated)} sent again, {len(failures)} failed, "
      f"the slowest after {max(times, default=0):.1f} s", flush=True)
for line in sorted(set(repeated + failures))[:8]:
    print(f"  {line}")
sys.exit(1 if failures else 0)
