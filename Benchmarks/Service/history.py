#!/usr/bin/env python3
"""A subscription of many periods as the App Store would sign it, as the body of `POST /v1/transactions`.

    history.py ROOT ACCOUNT PERIODS ENDED

ROOT is a folder that chain.py made, ACCOUNT an appTransactionId; the last of so many PERIODS ended ENDED days ago. Periods are weeks
where there are many, months, or a year where there is one.
"""

import json
import sys
import time
from pathlib import Path

from chain import DAY, Signer, purchase

ENVIRONMENT = "LocalTesting"


def history(account: str, periods: int, ended: int, signed: int) -> dict:
    """The payloads by the members of the request; `ended` and `signed` are milliseconds."""
    length = (365 if periods == 1 else 31 if periods <= 100 else 7) * DAY
    original = int(account) * 10_000
    begins = ended - periods * length
    payloads = [
        dict(
            purchase(
                original, original + number, begins + number * length, begins + (number + 1) * length, signed,
                ENVIRONMENT, "RENEWAL" if number else "PURCHASE"),
            appTransactionId=account, originalPurchaseDate=begins)
        for number in range(periods)
    ]
    renewal = {
        "originalTransactionId": str(original), "productId": "com.example.pro.monthly",
        "autoRenewProductId": "com.example.pro.monthly", "autoRenewStatus": 0, "expirationIntent": 1,
        "isInBillingRetryPeriod": False, "recentSubscriptionStartDate": begins, "appTransactionId": account,
        "signedDate": signed, "environment": ENVIRONMENT,
    }
    app = {
        "receiptType": ENVIRONMENT, "bundleId": "com.example.pro", "appAppleId": 1234567890, "appTransactionId": account,
        "applicationVersion": "1.0", "originalApplicationVersion": "1.0", "originalPurchaseDate": begins,
        "receiptCreationDate": signed,
    }
    return {"signedTransactions": payloads, "signedRenewalInfo": [renewal], "signedAppTransaction": app}


def signed_history(signer: Signer, account: str, periods: int, ended: int, signed: int) -> dict:
    """The same, signed."""
    sign = lambda value: [signer.jws(one) for one in value] if isinstance(value, list) else signer.jws(value)
    return {member: sign(value) for member, value in history(account, periods, ended, signed).items()}


def main() -> None:
    now = time.time_ns() // 1_000_000
    signer = Signer(Path(sys.argv[1]))
    print(json.dumps(signed_history(signer, sys.argv[2], int(sys.argv[3]), now - int(sys.argv[4]) * DAY, now)))


if __name__ == "__main__":
    main()
