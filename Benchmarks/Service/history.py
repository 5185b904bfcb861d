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


def main() -> None:
    signer = Signer(Path(sys.argv[1]))
    account, periods = sys.argv[2], int(sys.argv[3])
    now = time.time_ns() // 1_000_000
    ended = now - int(sys.argv[4]) * DAY
    length = (365 if periods == 1 else 31 if periods <= 100 else 7) * DAY
    original = int(account) * 10_000
    begins = ended - periods * length
    payloads = [
        dict(
            purchase(
                original, original + number, begins + number * length, begins + (number + 1) * length, now, ENVIRONMENT,
                "RENEWAL" if number else "PURCHASE"),
            appTransactionId=account, originalPurchaseDate=begins)
        for number in range(periods)
    ]
    renewal = {
        "originalTransactionId": str(original), "productId": "com.example.pro.monthly",
        "autoRenewProductId": "com.example.pro.monthly", "autoRenewStatus": 0, "expirationIntent": 1,
        "isInBillingRetryPeriod": False, "recentSubscriptionStartDate": begins, "appTransactionId": account,
        "signedDate": now, "environment": ENVIRONMENT,
    }
    app = {
        "receiptType": ENVIRONMENT, "bundleId": "com.example.pro", "appAppleId": 1234567890, "appTransactionId": account,
        "applicationVersion": "1.0", "originalApplicationVersion": "1.0", "originalPurchaseDate": begins,
        "receiptCreationDate": now,
    }
    print(json.dumps({
        "signedTransactions": [signer.jws(payload) for payload in payloads], "signedRenewalInfo": [signer.jws(renewal)],
        "signedAppTransaction": signer.jws(app),
    }))


if __name__ == "__main__":
    main()
