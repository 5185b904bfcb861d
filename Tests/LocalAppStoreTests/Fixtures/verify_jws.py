"""Verifies an App Store JWS on standard input against a root in DER, with none of our code.

From the rule: x5c holds leaf, intermediate and root; each is signed by the next; the leaf's P-256 key signed
header "." payload with ECDSA and SHA-256 as R and S of 32 bytes each (RFC 7518 section 3.4); Apple's marker
extensions are on leaf and intermediate.
"""

import base64
import json
import sys

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

LEAF_MARKER = x509.ObjectIdentifier("1.2.840.113635.100.6.11.1")
INTERMEDIATE_MARKER = x509.ObjectIdentifier("1.2.840.113635.100.6.2.1")


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


header_text, payload_text, signature_text = sys.stdin.read().split(".")
header = json.loads(decode(header_text))
assert header["alg"] == "ES256", header["alg"]
ders = [base64.b64decode(text, validate=True) for text in header["x5c"]]
assert len(ders) == 3, len(ders)
with open(sys.argv[1], "rb") as file:
    assert ders[2] == file.read(), "another root"
leaf, intermediate, root = [x509.load_der_x509_certificate(der) for der in ders]
leaf.verify_directly_issued_by(intermediate)
intermediate.verify_directly_issued_by(root)
root.verify_directly_issued_by(root)
leaf.extensions.get_extension_for_oid(LEAF_MARKER)
intermediate.extensions.get_extension_for_oid(INTERMEDIATE_MARKER)
constraints = [
    certificate.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    for certificate in (leaf, intermediate, root)
]
assert constraints == [False, True, True], constraints
assert isinstance(leaf.public_key().curve, ec.SECP256R1)
assert isinstance(intermediate.public_key().curve, ec.SECP384R1)
assert isinstance(root.public_key().curve, ec.SECP384R1)

raw = decode(signature_text)
assert len(raw) == 64, len(raw)
der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
try:
    leaf.public_key().verify(der, f"{header_text}.{payload_text}".encode(), ec.ECDSA(hashes.SHA256()))
    print("valid")
except InvalidSignature:
    print("bad signature")
