"""Prints the body of POST /v1/transactions.

usage: delivery.py SIGNED.json APP_ACCOUNT_TOKEN

SIGNED.json is the output of `offerd dev sign` for a scenario; the token is the app's identifier of that customer.
"""

import json
import sys

signed_file, token = sys.argv[1:3]
with open(signed_file, encoding="utf-8") as file:
    signed = json.load(file)
body = {
    "signedTransactions": signed["signedTransactions"],
    "signedRenewalInfo": signed["signedRenewalInfo"],
    # A scenario is its customer's whole history.
    "historyComplete": True,
    "customer": {"appAccountToken": token},
}
if signed["signedAppTransaction"] is not None:
    body["signedAppTransaction"] = signed["signedAppTransaction"]
print(json.dumps(body))
