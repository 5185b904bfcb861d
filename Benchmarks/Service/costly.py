"""Requests that cost far more than their bytes: the worst known for each call, of the greatest size that the caller may send.

`bodies` names them by call and role. A body is made of what a stranger can have: the certificates of genuine data are public, and a
customer has some genuine data of their own.
"""

import json
import re
import time
from pathlib import Path

from chain import Signer, base64url, purchase

KIB = 1_024
NOTIFICATIONS = "/v1/app-store/com.example.pro/LocalTesting/notifications"


def filled(limit: int, start: str, piece, end: str) -> bytes:
    """Pieces by their number, separated by commas, between a start and an end, as many as fit."""
    room, pieces = limit - len(start) - len(end), []
    while room > 0:
        text = piece(len(pieces))
        room -= len(text.encode()) + 1
        if room < 0:
            break
        pieces.append(text)
    return (start + ",".join(pieces) + end).encode()


def json_bodies(limit: int, member: str, rest: str = "") -> dict[str, bytes]:
    """Bodies that are costly as JSON. `member` takes a text, and `rest` are members that make the body a request."""
    more = f",{rest}" if rest else ""
    return {
        "unknown members": filled(limit, "{", lambda n: f'"{n}":0', more + "}"),
        "unknown members with slashes": filled(limit, "{", lambda n: f'"//{n}":0', more + "}"),
        "a list of numbers": filled(limit, '{"x":[', lambda n: "0", f"]{more}}}"),
        "nested lists": filled(limit, '{"x":[', lambda n: "[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]", f"]{more}}}"),
        "a text of escapes": f'{{"{member}":"{chr(92) + "u0041"}'.encode() + b"\\u0041" * ((limit - 400) // 6) + f'"{more}}}'.encode(),
        "a text of line breaks": f'{{"{member}":"'.encode() + b"\\n" * ((limit - 400) // 2) + f'"{more}}}'.encode(),
        "spaces": b"{" + b" " * (limit - 400) + f'"{member}":1{more}}}'.encode(),
        "a long text": f'{{"{member}":"'.encode() + b"a" * (limit - 400) + f'"{more}}}'.encode(),
        "a long name": b'{"' + b"a" * (limit - 400) + f'":1{more}}}'.encode(),
        "no JSON at the end": filled(limit - 1, "{", lambda n: f'"{n}":0', ",}"),
    }


def jws_texts(signer: Signer, limit: int) -> dict[str, str]:
    """Signed data that is none, of a length in Base64."""
    size = limit * 3 // 4
    real = signer.header
    now = time.time_ns() // 1_000_000
    marks = f'"notificationUUID":"1","transactionId":"1","signedDate":{now}'
    signature = base64url(bytes(64))

    def header(text: bytes) -> str:
        return f"{base64url(text)}.e30.{signature}"

    def payload(text: bytes) -> str:
        return f"{real}.{base64url(text)}.{signature}"

    rest = size - len(real) * 3 // 4 - 100
    texts = {
        "a header of empty certificates": header(filled(min(size, 48_900) - 100, '{"alg":"ES256","x5c":[', lambda n: '""', "]}")),
        "the longest header": header(filled(size - 100, '{"alg":"ES256","x5c":[', lambda n: '""', "]}")),
        "three long certificates": header(
            json.dumps({"alg": "ES256", "x5c": ["QUFB" * (min(4_090, size // 14))] * 3}).encode()),
        "a payload of members": payload(filled(rest, "{", lambda n: f'"m{n}":0', f",{marks}}}")),
        "a payload of escaped names": payload(filled(rest, "{", lambda n: f'"\\u006d{n}":0', f",{marks}}}")),
        "a payload that is one list": payload(filled(rest, '{"x":[', lambda n: "0", f"],{marks}}}")),
        "a payload of escapes": payload(f'{{{marks},"x":"'.encode() + b"\\u0041" * ((rest - 200) // 6) + b'"}'),
        "a payload with a false signature": payload(f'{{{marks},"x":"'.encode() + b"a" * (rest - 200) + b'"}'),
        "points": "." * limit,
    }
    return {name: text for name, text in texts.items() if len(text) <= limit}


def signed_purchases(signer: Signer, count: int, first: int, customer: int) -> list[str]:
    """Genuine transactions of one customer that were not sent before."""
    now = time.time_ns() // 1_000_000
    return [
        signer.jws(purchase(customer, first + number, now - 60_000, now + 86_400_000, now, "LocalTesting", "PURCHASE"))
        for number in range(count)
    ]


def bodies(folder: Path) -> list[tuple[str, str, str, str, bytes]]:
    """Rows of role, method, path, name and body; the role of a stranger is empty."""
    signer = Signer(folder / "root")
    rows = []
    small, large = 256 * KIB, 2_048 * KIB

    def add(role: str, path: str, found: dict[str, bytes], method: str = "POST") -> None:
        rows.extend((role, method, path, name, body) for name, body in found.items())

    def delivery(limit: int, count: int, rest: str = "") -> dict[str, bytes]:
        each = (limit - 400) // count
        found = {}
        for name, text in jws_texts(signer, each - 4).items():
            found[f"{count} × {name}"] = f'{{"signedTransactions":[{",".join([json.dumps(text)] * count)}]{rest}}}'.encode()
        purchases = signed_purchases(signer, count, 7_000_000_001, 7_000_000_000)
        found[f"{count} genuine transactions"] = json.dumps({"signedTransactions": purchases}).encode()[:-1] + f"{rest}}}".encode()
        return found

    add("", NOTIFICATIONS, json_bodies(small, "signedPayload"))
    add("", NOTIFICATIONS, {
        name: json.dumps({"signedPayload": text}).encode() for name, text in jws_texts(signer, small - 24).items()})
    for role, limit, count in (("app", small, 20), ("client", large, 200)):
        for path, member, rest in (
            ("/v1/decisions", "productId", ""), ("/v1/issued-offers", "offerId", ""),
            ("/v1/transactions", "signedAppTransaction", '"signedTransactions":[]'),
            ("/v1/customers/status", "signedAppTransaction", ""),
        ):
            size = small if path == "/v1/decisions" else limit
            add(role, path, json_bodies(size, member, rest))
            add(role, path, delivery(size, count if size == limit else 40, ',"offerId":"comeback"' if path == "/v1/issued-offers" else ""))
    customer = '"customer":{"customerId":"anna"}'
    add("client", "/v1/customers/attributes", json_bodies(small, "attributes", customer), "PUT")
    for path, rest in (
        ("/v1/customers/refresh", customer), ("/v1/customers/unlink", customer), ("/v1/customers/reset", customer),
        ("/v1/signature-checks", '"productId":"a"'),
    ):
        add("support", path, json_bodies(small, "reason", rest))
    add("support", "/v1/decisions", json_bodies(large, "productId"))
    now = time.time_ns() // 1_000_000
    payloads = [
        purchase(7_000_000_000 + number % 20, 7_000_000_000 + number, now - (200 - number) * 86_400_000,
                 now - (199 - number) * 86_400_000, now, "LocalTesting", "PURCHASE")
        for number in range(200)
    ]
    add("support", "/v1/decisions", {
        "a supplied history of 200 transactions": json.dumps({"history": {"transactions": payloads, "renewalInfos": []}}).encode()})
    add("marketing", "/v1/catalog?dryRun=true", catalogs(large), "PUT")
    return rows


def catalogs(limit: int) -> dict[str, bytes]:
    """Catalogs that are costly to read or to check."""
    head = (
        'bundleId: com.example.pro\nsubscriptionGroups:\n  - id: "1"\n    products:\n'
        '      - { productId: pro, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }\noffers:\n')

    def offers(condition) -> bytes:
        """As many offers with a condition as are accepted: a document has at most 26,000 tokens."""
        text, tokens, number = head, 100, 0
        while True:
            offer = (
                f"  - {{ id: o{number}, type: promotional, offerIdentifier: a{number}, products: [pro], paymentMode: freeTrial, "
                f"period: P1M, periodCount: 1, status: active, limits: [{{ count: 1, per: customer }}], eligibility: {condition(number)} }}\n")
            tokens += len(re.findall(r"[{}\[\],:]|[^\s{}\[\],:]+", offer))
            if tokens > 25_800 or len(text) + len(offer) > limit:
                return text.encode()
            text += offer
            number += 1

    def every(count: int, part) -> str:
        return "{ all: [" + ", ".join(part(number) for number in range(count)) + "] }"

    contradiction = (
        "{ any: [ { all: [ { fact: signals.z, is: 1 }, { fact: signals.z, is: 2 } ] }, "
        "{ all: [ { fact: signals.z, is: 3 }, { fact: signals.z, is: 4 } ] } ] }")
    return {
        "one key again and again": b"a: 1\n" * (limit // 5),
        "as many tokens as are accepted": ("a: [" + "a: 1, " * 6_400 + "]").encode(),
        "more tokens than are accepted": ("a: [" + "1, " * 600_000 + "]").encode(),
        "comments": b"# a\n" * (limit // 4),
        "one long text": b"a: '" + b"x" * (limit - 10) + b"'",
        "comparisons of different facts": offers(
            lambda offer: every(400, lambda n: f"{{ fact: signals.s{offer}x{n}, atLeast: {n} }}")),
        "alternatives of one fact": offers(lambda offer: every(
            100, lambda n: "{ any: [" + ", ".join(f"{{ fact: signals.s, atLeast: {n * 4 + k} }}" for k in range(4)) + "] }")),
        "alternatives that exclude each other": offers(lambda offer: "{ all: [" + contradiction + ", " + ", ".join(
            f"{{ any: [ {{ fact: signals.s{n}, is: 1 }}, {{ fact: signals.s{n}, in: [1, 2, 3, 4, 5, 6, 7, 8] }} ] }}"
            for n in range(50)) + "] }"),
        "pairs of comparisons": offers(lambda offer: "{ all: [" + ", ".join(
            f"{{ fact: signals.s{n}, is: 1 }}" for n in range(480)) + ", " + contradiction + "] }"),
    }
