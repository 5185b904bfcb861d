"""Verifies JWTs on standard input, one a line, against a public key in PEM, with none of our code; prints header and
claims as JSON, or `bad signature`.

From the rule (RFC 7515, RFC 7518 section 3.4): base64url(header) "." base64url(claims) is signed with ECDSA and
SHA-256, as R and S of 32 bytes each.
"""

import base64
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature


def decode(text):
    assert "=" not in text
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


with open(sys.argv[1], "rb") as file:
    key = serialization.load_pem_public_key(file.read())
for line in sys.stdin.read().split():
    header, claims, signature = line.split(".")
    raw = decode(signature)
    assert len(raw) == 64, len(raw)
    der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    try:
        key.verify(der, f"{header}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        print(json.dumps([json.loads(decode(header)), json.loads(decode(claims))], sort_keys=True))
    except InvalidSignature:
        print("bad signature")
