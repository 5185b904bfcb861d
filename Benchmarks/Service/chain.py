#!/usr/bin/env python3
"""A signing chain like Apple's, and what the App Store would sign with it.

    chain.py root FOLDER
    chain.py transactions FOLDER --customers N --count N --environment NAME --out FILE

`root` makes root.der, intermediate.der, leaf.der and leaf.key, as `offerd dev root` does, with the key identifiers that
Apple's library insists on. `transactions` signs one new purchase each: customer after customer in the stride that the load
asks in, with ids that populate.py left free. The file's first line is the JWS header, which all of them share; each other line
is `payload.signature`. With `--whole` every line is a whole JWS.
"""

import argparse
import base64
import datetime
import json
import multiprocessing
import os
import time
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.x509.oid import NameOID

DAY = 86_400_000
FIRST_ID, STRIDE, FREE = 100_000_000_000, 64, 13
LEAF, INTERMEDIATE = "1.2.840.113635.100.6.11.1", "1.2.840.113635.100.6.2.1"


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def certificate(subject, key, issuer, issuer_key, marker: str | None, depth: int | None) -> x509.Certificate:
    name = lambda text: x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])
    signs = depth is not None
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(subject)).issuer_name(name(issuer)).public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.datetime(2000, 1, 1)).not_valid_after(datetime.datetime(2049, 1, 1))
        .add_extension(x509.BasicConstraints(ca=signs, path_length=depth if depth == 0 else None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False)
        .add_extension(
            x509.KeyUsage(
                digital_signature=not signs, key_cert_sign=signs, crl_sign=signs, content_commitment=False,
                key_encipherment=False, data_encipherment=False, key_agreement=False, encipher_only=False,
                decipher_only=False),
            critical=True)
    )
    if marker:
        builder = builder.add_extension(
            x509.UnrecognizedExtension(x509.ObjectIdentifier(marker), b"\x05\x00"), critical=False)
    return builder.sign(issuer_key, hashes.SHA384() if isinstance(issuer_key.curve, ec.SECP384R1) else hashes.SHA256())


def make(folder: Path) -> None:
    root, middle, leaf = (ec.generate_private_key(curve) for curve in (ec.SECP384R1(), ec.SECP384R1(), ec.SECP256R1()))
    names = ["offerd benchmark root, not Apple", "offerd benchmark intermediate, not Apple", "offerd benchmark leaf, not Apple"]
    chain = {
        "root": certificate(names[0], root, names[0], root, None, 1),
        "intermediate": certificate(names[1], middle, names[0], root, INTERMEDIATE, 0),
        "leaf": certificate(names[2], leaf, names[1], middle, LEAF, None),
    }
    folder.mkdir(parents=True)
    for name, made in chain.items():
        (folder / f"{name}.der").write_bytes(made.public_bytes(serialization.Encoding.DER))
    with open(os.open(folder / "leaf.key", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(leaf.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))


class Signer:
    """Signs payloads as the App Store does: ES256, with the chain in the header."""

    def __init__(self, folder: Path):
        self.key = serialization.load_pem_private_key((folder / "leaf.key").read_bytes(), None)
        chain = [
            base64.b64encode((folder / f"{name}.der").read_bytes()).decode() for name in ("leaf", "intermediate", "root")]
        self.header = base64url(json.dumps({"alg": "ES256", "x5c": chain}, separators=(",", ":")).encode())

    def sign(self, payload: dict) -> str:
        """`payload.signature`, to be put after the header and a dot."""
        body = base64url(json.dumps(payload, separators=(",", ":")).encode())
        r, s = utils.decode_dss_signature(
            self.key.sign(f"{self.header}.{body}".encode(), ec.ECDSA(hashes.SHA256())))
        return f"{body}.{base64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"

    def jws(self, payload: dict) -> str:
        return f"{self.header}.{self.sign(payload)}"


def purchase(original: int, identifier: int, begins: int, ends: int, signed: int, environment: str, reason: str) -> dict:
    """The payload of a purchase or renewal at full price."""
    return {
        "transactionId": str(identifier), "originalTransactionId": str(original), "bundleId": "com.example.pro",
        "productId": "com.example.pro.monthly", "subscriptionGroupIdentifier": "21500001", "purchaseDate": begins,
        "originalPurchaseDate": begins, "expiresDate": ends, "quantity": 1, "type": "Auto-Renewable Subscription",
        "appTransactionId": str(original + STRIDE - 1), "inAppOwnershipType": "PURCHASED", "signedDate": signed,
        "price": 9_990, "currency": "USD", "transactionReason": reason, "storefront": "USA", "environment": environment,
    }


def signed_purchases(job: tuple) -> list[str]:
    folder, customers, begin, end, environment, whole = job
    signer = Signer(folder)
    now = time.time_ns() // 1_000_000
    lines = []
    for number in range(begin, end):
        original = FIRST_ID + number * 7_919 % customers * STRIDE
        signed = signer.sign(
            purchase(original, original + FREE + number // customers, now - 60_000, now + 30 * DAY, now, environment,
                     "PURCHASE"))
        lines.append(f"{signer.header}.{signed}" if whole else signed)
    return lines


def sign_transactions(arguments: argparse.Namespace) -> None:
    if arguments.count > arguments.customers * (STRIDE - 1 - FREE):
        raise SystemExit("error: each customer has 50 free ids\nhint: raise --customers, or lower --count")
    step = 5_000
    jobs = [
        (arguments.folder, arguments.customers, begin, min(begin + step, arguments.count), arguments.environment,
         arguments.whole)
        for begin in range(0, arguments.count, step)
    ]
    with multiprocessing.Pool() as pool, open(arguments.out, "w", encoding="ascii") as out:
        if not arguments.whole:
            out.write(Signer(arguments.folder).header + "\n")
        for lines in pool.imap(signed_purchases, jobs):
            out.write("\n".join(lines) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["root", "transactions"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--customers", type=int, default=100_000)
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--environment", default="LocalTesting")
    parser.add_argument("--whole", action="store_true")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    if arguments.what == "root":
        make(arguments.folder)
    else:
        sign_transactions(arguments)


if __name__ == "__main__":
    main()
