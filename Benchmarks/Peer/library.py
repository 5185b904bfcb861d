#!/usr/bin/env python3
"""Apple's Python library in one process: how many signatures and verifications a second.

    library.py KEY ROOT SIGNED [SECONDS]

KEY is the signing key, ROOT the DER of the root, SIGNED a file with one signed Sandbox transaction a line. Prints JSON. The library
keeps a verified chain only where it asks Apple whether the certificates are revoked, which needs Apple; `verifyCached` is that
way, with the chain put into its cache as such an answer would have done.
"""

import json
import sys
import time
import uuid
from pathlib import Path

from appstoreserverlibrary.jws_signature_creator import (
    IntroductoryOfferEligibilitySignatureCreator,
    PromotionalOfferV2SignatureCreator,
)
from appstoreserverlibrary.models.Environment import Environment
from appstoreserverlibrary.promotional_offer import PromotionalOfferSignatureCreator
from appstoreserverlibrary.signed_data_verifier import SignedDataVerifier
import jwt

BUNDLE, KEY_ID, ISSUER = "com.example.pro", "BENCH00001", "57246542-96fe-1a63-e053-0824d011072a"
PRODUCT, OFFER, CUSTOMER = "com.example.pro.monthly", "comeback50", "100000000064"


def rate(seconds: float, act) -> float:
    """How often a second; the clock is looked at every hundredth time."""
    act(0)
    began, count = time.perf_counter(), 0
    while True:
        for _ in range(100):
            act(count)
            count += 1
        time_taken = time.perf_counter() - began
        if time_taken >= seconds:
            return count / time_taken


def main() -> None:
    key = Path(sys.argv[1]).read_bytes()
    root = Path(sys.argv[2]).read_bytes()
    signed = Path(sys.argv[3]).read_text().split()
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 2
    v1 = PromotionalOfferSignatureCreator(key, KEY_ID, BUNDLE)
    v2 = PromotionalOfferV2SignatureCreator(key, KEY_ID, ISSUER, BUNDLE)
    introductory = IntroductoryOfferEligibilitySignatureCreator(key, KEY_ID, ISSUER, BUNDLE)
    plain = SignedDataVerifier([root], False, Environment.SANDBOX, BUNDLE, None)
    cached = SignedDataVerifier([root], True, Environment.SANDBOX, BUNDLE, None)
    chain = jwt.get_unverified_header(signed[0])["x5c"]
    cached._chain_verifier.put_verified_public_key(
        chain, plain._chain_verifier.verify_chain(chain, False, int(time.time())))
    now = time.time_ns() // 1_000_000
    print(json.dumps({
        "sign v1": rate(seconds, lambda _: v1.create_signature(PRODUCT, OFFER, "", uuid.uuid4(), now)),
        "sign v2": rate(seconds, lambda _: v2.create_signature(PRODUCT, OFFER, CUSTOMER)),
        "sign introductory": rate(seconds, lambda _: introductory.create_signature(PRODUCT, True, CUSTOMER)),
        "verify": rate(seconds, lambda n: plain.verify_and_decode_signed_transaction(signed[n % len(signed)])),
        "verifyCached": rate(seconds, lambda n: cached.verify_and_decode_signed_transaction(signed[n % len(signed)])),
    }))


if __name__ == "__main__":
    main()
