"""Verifies every signature of a response with the openssl command.

usage: verify_signatures.py PUBLIC.pem ANSWER.json

Rebuilds the signed bytes from the response and Apple's rules, not with offerd's code: the V1 string of seven fields joined
by U+2063, and the first two parts of a JWS. Prints one line per signature; exits 0 if there is at least one and all are valid.
"""

import base64
import json
import subprocess
import sys
import tempfile


def der_integer(value: bytes) -> bytes:
    value = value.lstrip(b"\0") or b"\0"
    if value[0] & 0x80:
        value = b"\0" + value
    return b"\x02" + bytes([len(value)]) + value


def der_from_raw(raw: bytes) -> bytes:
    """Converts R‖S of 64 bytes, as in a JWS, to the ECDSA-Sig-Value that openssl reads."""
    if len(raw) != 64:
        raise ValueError(f"a JWS signature has 64 bytes, this one {len(raw)}")
    body = der_integer(raw[:32]) + der_integer(raw[32:])
    return b"\x30" + bytes([len(body)]) + body


def from_base64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def is_valid(public_key: str, message: bytes, signature: bytes) -> bool:
    with tempfile.NamedTemporaryFile() as message_file, tempfile.NamedTemporaryFile() as signature_file:
        message_file.write(message)
        message_file.flush()
        signature_file.write(signature)
        signature_file.flush()
        command = ["openssl", "dgst", "-sha256", "-verify", public_key, "-signature", signature_file.name, message_file.name]
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0


def check_jws(public_key: str, jws: str) -> tuple[bool, dict]:
    header, claims, signature = jws.split(".")
    valid = is_valid(public_key, f"{header}.{claims}".encode(), der_from_raw(from_base64url(signature)))
    return valid, json.loads(from_base64url(claims))


def check(public_key: str, answer: dict) -> list[tuple[str, bool, str]]:
    """The name of each signature of a response, whether it is valid, and a detail."""
    signatures = dict(answer.get("signatures", {}))
    if answer.get("introductoryEligibility"):
        signatures["introductoryEligibility"] = answer["introductoryEligibility"]
    results = []
    if v1 := signatures.get("v1"):
        fields = [
            answer["bundleId"], v1["keyId"], answer["productId"], answer["offerIdentifier"], v1["appAccountToken"],
            v1["nonce"], str(v1["timestamp"]),
        ]
        message = "\u2063".join(fields).encode()
        results.append(("v1", is_valid(public_key, message, base64.b64decode(v1["signature"], validate=True)), ""))
    if v2 := signatures.get("v2"):
        valid, claims = check_jws(public_key, v2["jws"])
        right = claims["aud"] == "promotional-offer" and claims["offerIdentifier"] == answer["offerIdentifier"]
        results.append(("v2", valid and right and "exp" not in claims, f", offer {claims['offerIdentifier']}"))
    if introductory := signatures.get("introductoryEligibility"):
        valid, claims = check_jws(public_key, introductory["jws"])
        allows = introductory["allowIntroductoryOffer"]
        right = claims["aud"] == "introductory-offer-eligibility" and claims["allowIntroductoryOffer"] is allows
        results.append(("introductoryEligibility", valid and right and "exp" not in claims, f", allows: {str(allows).lower()}"))
    return results


def main() -> int:
    public_key, answer_file = sys.argv[1:3]
    with open(answer_file, encoding="utf-8") as file:
        results = check(public_key, json.load(file))
    for name, valid, detail in results:
        print(f"  {name}: {'verified by openssl' if valid else 'NOT VALID'}{detail}")
    if not results:
        print("  there is no signature in the answer")
    return 0 if results and all(valid for _, valid, _ in results) else 1


if __name__ == "__main__":
    sys.exit(main())
