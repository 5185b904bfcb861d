#!/usr/bin/env python3
"""Writes an export of purchases for `offerd import transactions`, the same one for the same seed.

  make_export.py --customers 200000 --transactions 1000000 --out export.jsonl
  make_export.py --customers 200000 --transactions 1000000 --format csv --order date --out export.csv

Every customer has one subscription of monthly periods, a customerId, every other one an appAccountToken, and two of three
an appTransactionId; one period in twelve has a promotional offer, one in a hundred was refunded, and the last one says how it renews.
`--order customer` writes customer by customer, as a database keyed by them does; `date` by purchase date, the usual
order of an export; `random` in none.
"""

import argparse
import csv
import json
import random
import sys
import uuid

DAY = 86_400_000
END = 1_790_000_000_000
COLUMNS = [
    "transactionId", "originalTransactionId", "bundleId", "productId", "subscriptionGroupIdentifier", "purchaseDate",
    "originalPurchaseDate", "expiresDate", "signedDate", "revocationDate", "revocationReason", "type",
    "inAppOwnershipType", "appAccountToken", "appTransactionId", "offerType", "offerIdentifier", "offerDiscountType", "offerPeriod",
    "price", "currency", "transactionReason", "storefront", "environment", "customerId", "renewalInfo.autoRenewStatus",
    "renewalInfo.signedDate",
]


def purchases(arguments):
    """One dictionary a purchase, customer by customer."""
    rng = random.Random(arguments.seed)
    extra = arguments.transactions - arguments.customers
    each, more = divmod(extra, arguments.customers)
    for number in range(arguments.customers):
        periods = 1 + each + (1 if number < more else 0)
        original = str(7_000_000_000_000 + number * 1_000)
        token = str(uuid.UUID(int=rng.getrandbits(128), version=4)) if number % 2 else None
        started = END - (periods + rng.randrange(40)) * 30 * DAY - rng.randrange(DAY)
        for period in range(periods):
            purchased = started + period * 30 * DAY
            purchase = {
                "transactionId": str(int(original) + period),
                "originalTransactionId": original,
                "bundleId": arguments.app,
                "productId": f"{arguments.app}.monthly",
                "subscriptionGroupIdentifier": "21500001",
                "purchaseDate": purchased,
                "originalPurchaseDate": started,
                "expiresDate": purchased + 30 * DAY,
                "signedDate": purchased + 1_000,
                "type": "Auto-Renewable Subscription",
                "inAppOwnershipType": "PURCHASED",
                "price": 9_990,
                "currency": "USD",
                "transactionReason": "PURCHASE" if period == 0 else "RENEWAL",
                "storefront": "USA",
                "environment": arguments.environment,
                "customerId": f"customer-{number}",
            }
            if token:
                purchase["appAccountToken"] = token
            if number % 3:
                purchase["appTransactionId"] = str(8_000_000_000_000 + number)
            if rng.randrange(12) == 0:
                purchase.update(
                    offerType=2, offerIdentifier=f"offer{rng.randrange(5)}", offerDiscountType="PAY_AS_YOU_GO",
                    offerPeriod="P1M", price=4_990)
            if rng.randrange(100) == 0:
                purchase.update(revocationDate=purchased + 5 * DAY, revocationReason=0, signedDate=purchased + 5 * DAY)
            if period == periods - 1:
                purchase["renewalInfo"] = {"autoRenewStatus": rng.randrange(2), "signedDate": purchased + 2_000}
            yield purchase


def ordered(arguments):
    if arguments.order == "customer":
        return purchases(arguments)
    everything = list(purchases(arguments))
    if arguments.order == "date":
        everything.sort(key=lambda purchase: purchase["purchaseDate"])
    else:
        random.Random(arguments.seed + 1).shuffle(everything)
    return everything


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--customers", type=int, default=200_000)
    parser.add_argument("--transactions", type=int, default=1_000_000)
    parser.add_argument("--format", choices=["jsonl", "csv"], default="jsonl")
    parser.add_argument("--order", choices=["customer", "date", "random"], default="date")
    parser.add_argument("--app", default="com.example.pro")
    parser.add_argument("--environment", default="LocalTesting")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    if arguments.transactions < arguments.customers:
        sys.exit("every customer has at least one transaction")
    with open(arguments.out, "w", encoding="utf-8", newline="") as out:
        if arguments.format == "csv":
            writer = csv.writer(out)
            writer.writerow(COLUMNS)
            for purchase in ordered(arguments):
                renewal = purchase.get("renewalInfo", {})
                flat = purchase | {f"renewalInfo.{name}": value for name, value in renewal.items()}
                writer.writerow([flat.get(column, "") for column in COLUMNS])
        else:
            for purchase in ordered(arguments):
                out.write(json.dumps(purchase, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
