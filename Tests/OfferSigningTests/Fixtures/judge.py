"""Judges signed artefacts without any of our code: the bytes are built here from Apple's rules, the signature is
checked by the openssl command. Reads one JSON document from stdin, writes one message a fault to stdout.

Input: {"publicKey": PEM, "v1": [{fields…, "signature"}], "jws": [{"header": {…}, "claims": {…}, "jws"}]}
"""
import base64
import json
import os
import subprocess
import sys
import tempfile

HALF_ORDER_BYTES = 32


def fault(index, text):
    print(f"{index}: {text}")


def verified(public_key, message, signature, folder):
    signature_path = os.path.join(folder, "signature")
    with open(signature_path, "wb") as file:
        file.write(signature)
    command = ["openssl", "dgst", "-sha256", "-verify", public_key, "-signature", signature_path]
    return subprocess.run(command, input=message, capture_output=True).returncode == 0


def v1_message(offer):
    fields = [
        offer["bundleId"],
        offer["keyId"],
        offer["productId"],
        offer["offerIdentifier"],
        (offer.get("appAccountToken") or "").lower(),
        offer["nonce"].lower(),
        str(offer["timestamp"]),
    ]
    return "\u2063".join(fields).encode("utf-8")


def check_v1(index, offer, public_key, folder):
    signature = base64.b64decode(offer["signature"], validate=True)
    if len(offer["signature"]) % 4 != 0:
        fault(index, "Base64 without padding")
    if signature[0] != 0x30 or signature[1] != len(signature) - 2:
        fault(index, "not one DER sequence of the whole length")
    if not verified(public_key, v1_message(offer), signature, folder):
        fault(index, "V1 signature does not verify")


def der_integer(number):
    content = number.to_bytes(number.bit_length() // 8 + 1, "big")
    return bytes([0x02, len(content)]) + content


def check_jws(index, case, public_key, folder):
    parts = case["jws"].split(".")
    if len(parts) != 3 or "=" in case["jws"]:
        return fault(index, "not three parts of base64url without padding")
    header, claims, raw = [base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) for part in parts]
    if json.loads(header) != case["header"]:
        fault(index, f"header {header!r}")
    read = json.loads(claims)
    if read != case["claims"] or list(read) != sorted(read) or "exp" in read:
        fault(index, f"claims {claims!r}")
    for name, value in case["claims"].items():
        if type(read.get(name)) is not type(value):
            fault(index, f"type of claim {name}")
    if len(raw) != 2 * HALF_ORDER_BYTES:
        return fault(index, f"signature of {len(raw)} bytes")
    numbers = [int.from_bytes(half, "big") for half in (raw[:HALF_ORDER_BYTES], raw[HALF_ORDER_BYTES:])]
    body = b"".join(der_integer(number) for number in numbers)
    if not verified(public_key, f"{parts[0]}.{parts[1]}".encode(), bytes([0x30, len(body)]) + body, folder):
        fault(index, "JWS signature does not verify")


def main():
    document = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        public_key = os.path.join(folder, "public.pem")
        with open(public_key, "w") as file:
            file.write(document["publicKey"])
        for index, offer in enumerate(document["v1"]):
            check_v1(index, offer, public_key, folder)
        for index, case in enumerate(document["jws"]):
            check_jws(index, case, public_key, folder)
    print(f"judged {len(document['v1'])} v1 and {len(document['jws'])} jws")


main()
