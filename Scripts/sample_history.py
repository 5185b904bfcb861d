#!/usr/bin/env python3
"""Lets a local server live through a month, with customers who buy, ask for offers, use them and are refused.

Run by `fill_history` of Scripts/local.sh. The server goes by `offerd serve --clock-file CLOCK` and is empty. CLOCK holds the first
moment, a midnight; this program sets it from event to event, and leaves it at the real time of its own start. All of it goes
through the API: a catalog and a campaign, orders with purchases signed by `offerd dev sign`, Apple's notifications, a pause, a grant
and a voided offer.

What the customers do follows from a fixed seed, and when they do it from the date, so that two runs on one day differ only in what
is to come today. Prints one line for each offer. Exits 1 if the server answers anything but what a customer may be told.
"""

import argparse
import base64
import calendar
import collections
import concurrent.futures
import datetime
import heapq
import http.client
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

UTC = datetime.timezone.utc
DAY = datetime.timedelta(days=1)
APP, GROUP = "com.example.pro", "21500001"
MONTHLY, YEARLY = f"{APP}.monthly", f"{APP}.yearly"
PRICES = {MONTHLY: ("P1M", "9.99"), YEARLY: ("P1Y", "79.99")}
# How many ask a day at the beginning, by what they are.
PER_DAY = {
    "newcomer": 2.4, "returning": 1.2, "remembered": 0.7, "loyal": 1.3, "leaving": 0.6, "second_trial": 0.4, "invited": 1.1,
}
WEEKDAYS = (0.85, 0.8, 0.9, 0.95, 1.1, 1.3, 1.2)
# A campaign begins on the 9th day, with a mail.
LAUNCH, MAILED = 9, (3.0, 2.2, 1.6, 1.3)
CAMPAIGN = "\n" + pathlib.Path(__file__).with_name("campaign.yaml").read_text()
PAUSED = (10.4, 12.4)


def later(at: datetime.datetime, months: int) -> datetime.datetime:
    """The same day of another month, or that month's last."""
    year, month = divmod(at.year * 12 + at.month - 1 + months, 12)
    return at.replace(year=year, month=month + 1, day=min(at.day, calendar.monthrange(year, month + 1)[1]))


def money(amount: str) -> dict:
    return {"amount": amount, "currency": "USD"}


def moment(milliseconds: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(milliseconds / 1000, UTC)


def text(at: datetime.datetime) -> str:
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def milliseconds(at: datetime.datetime) -> int:
    return round(at.timestamp() * 1000)


class Customer:
    """One customer's purchases up to now, as a scenario, and their requests for offers."""

    def __init__(self, number: int, rng: random.Random, at: datetime.datetime, now: datetime.datetime, is_paused: bool):
        self.number, self.rng, self.at, self.now = number, rng, at, now
        # When they buy, if they do.
        self.soon = at + datetime.timedelta(minutes=rng.randint(2, 50))
        self.is_paused = is_paused
        self.token = str(uuid.UUID(int=rng.getrandbits(128), version=4))
        self.steps: list[dict] = []
        self.orders: list[tuple[datetime.datetime, dict]] = []

    @property
    def name(self) -> str:
        return f"user-{self.number}"

    @property
    def redeems(self) -> bool:
        return any("redeem" in step for step in self.steps)

    def step(self, verb: str, at: datetime.datetime | None = None, **members) -> None:
        if at:
            members["at"] = text(at)
        self.steps.append({verb: members})

    def ask(self, offer: str, product: str, placement: str, at: datetime.datetime | None = None, **more) -> None:
        body = {"offerId": offer, "productId": product, "request": {"placement": placement}, **more}
        self.orders.append((at or self.at, body))

    def redeem(self, identifier: str, mode: str, period: str, amount: str | None, **more) -> None:
        price = {"price": money(amount)} if amount else {}
        self.step("redeem", self.soon, type="promotional", offerIdentifier=identifier, paymentMode=mode, period=period, **price, **more)

    def paid(self, since: datetime.datetime, until: datetime.datetime) -> int:
        """Renewals of a monthly subscription that are due by then."""
        return next(n for n in itertools.count() if later(since, n + 1) > until)

    def renew(self, times: int) -> None:
        if times:
            self.step("renew", times=times)

    # What each does. The dice are thrown whether or not what follows lies before now.

    def newcomer(self) -> None:
        product = YEARLY if self.rng.random() < 0.2 else MONTHLY
        takes, stays, left = self.rng.random() < 0.64, self.rng.random() < 0.66, self.rng.uniform(1, 6)
        self.ask("welcome-trial", product, self.rng.choice(["onboarding", "onboarding", "paywall"]))
        self.step("appTransaction", self.at - datetime.timedelta(minutes=10))
        start = self.soon
        if not takes or start > self.now:
            return
        period, amount = PRICES[product]
        self.step("trial", start, product=product, group=GROUP, length="P1W", period=period, price=money(amount))
        if stays and start + 7 * DAY < self.now:
            self.step("renew")
        elif not stays and start + left * DAY < self.now:
            self.step("cancel", start + left * DAY)
            if start + 7 * DAY < self.now:
                self.step("expire")

    def leave(self, months: int, days: float) -> None:
        """A trial, months that were paid, and the end, days ago."""
        ended = self.at - days * DAY
        ended = ended.replace(day=min(ended.day, 28))
        start = later(ended, -months) - 7 * DAY
        self.step("appTransaction", start)
        self.step("trial", start, product=MONTHLY, group=GROUP, length="P1W", period="P1M", price=money("9.99"))
        self.renew(months)
        self.step("cancel", ended - self.rng.uniform(1, 20) * DAY)
        self.step("expire")

    def returning(self) -> None:
        self.leave(self.rng.randint(1, 7), self.rng.uniform(4, 240))
        self.ask("comeback-half-price", MONTHLY, self.rng.choice(["win-back-mail", "paywall"]))
        takes, again = self.rng.random() < 0.52, self.rng.random() < 0.25
        if takes and self.soon < self.now and not self.is_paused:
            self.redeem("comeback50", "payAsYouGo", "P1M", "4.99", periodCount=3)
            if later(self.soon, 1) < self.now:
                self.step("renew")
        if again and self.at + 3 * DAY < self.now:
            self.ask("comeback-half-price", MONTHLY, "paywall", self.at + 3 * DAY)

    def invited(self) -> None:
        self.leave(self.rng.randint(1, 9), self.rng.uniform(20, 300))
        self.ask("hello-again", MONTHLY, "win-back-mail")
        if self.rng.random() < 0.66 and self.soon < self.now:
            self.redeem("hello_again", "payAsYouGo", "P1M", "2.99", periodCount=2)

    def remembered(self) -> None:
        days = self.rng.uniform(10, 300)
        self.leave(self.rng.randint(1, 5), days)
        self.ask("free-month-back", MONTHLY, "win-back-mail")
        if self.rng.random() < 0.55 and days > 35 and self.soon < self.now:
            self.redeem("back_free_month", "freeTrial", "P1M", None)
            if later(self.soon, 1) < self.now:
                self.step("renew")

    def subscribe(self) -> datetime.datetime:
        """A subscription that was paid each month until now."""
        bought = later(self.at.replace(day=min(self.at.day, 28)), -self.rng.randint(1, 14)) - self.rng.uniform(0, 20) * DAY
        bought = bought.replace(day=min(bought.day, 28), microsecond=0)
        self.step("appTransaction", bought - DAY)
        self.step("buy", bought, product=MONTHLY, group=GROUP, period="P1M", price=money("9.99"))
        self.renew(self.paid(bought, self.at))
        return bought

    def loyal(self) -> None:
        bought = self.subscribe()
        months, uses = self.paid(bought, self.at) + 1, self.rng.randint(20, 180)
        signals = {} if self.rng.random() < 0.06 else {"signals": {"interactions": uses, "plan": "personal"}}
        self.ask("loyal-yearly", YEARLY, "settings", **signals)
        takes = self.rng.random() < 0.6
        if takes and signals and months >= 3 and uses >= 50 and self.soon < self.now:
            self.redeem(
                "loyal_yearly", "payUpFront", "P1Y", "59.99", product=YEARLY, change="upgrade",
                regular={"period": "P1Y", "price": money("79.99")})
        else:
            self.renew(self.paid(bought, self.now) - self.paid(bought, self.at))

    def leaving(self) -> None:
        bought = self.subscribe()
        self.step("cancel", self.at - datetime.timedelta(minutes=3))
        self.ask("comeback-half-price", MONTHLY, "cancel-flow")
        takes = self.rng.random() < 0.55 and self.soon < self.now and not self.is_paused
        if takes:
            self.redeem("comeback50", "payAsYouGo", "P1M", "4.99", periodCount=3)
        due = self.paid(bought, self.now) - self.paid(bought, self.at)
        if due and takes:
            self.renew(due)
        elif due:
            self.step("expire")

    def second_trial(self) -> None:
        self.leave(self.rng.randint(1, 9), self.rng.uniform(20, 300))
        self.ask("welcome-trial", MONTHLY, "paywall")

    def scenario(self) -> dict:
        customer = {"appTransactionId": f"7050{self.number:06}", "appAccountToken": self.token}
        return {"bundleId": APP, "environment": "LocalTesting", "customer": customer, "steps": self.steps}


def people(start: datetime.datetime, now: datetime.datetime) -> list[Customer]:
    dice = random.Random(20)
    found = []
    for day in range((now - start).days + 1):
        midnight = start + day * DAY
        for kind, base in PER_DAY.items():
            wanted = base * WEEKDAYS[midnight.weekday()] * (1 + 0.012 * day) * dice.uniform(0.7, 1.3)
            if kind == "invited":
                since = day - LAUNCH
                wanted *= 0 if since < 0 else MAILED[since] if since < len(MAILED) else 1
            for _ in range(int(wanted + dice.random())):
                at = (midnight + dice.triangular(6, 23.9, 19) * DAY / 24).replace(microsecond=0)
                is_paused = PAUSED[0] * DAY <= at - start <= PAUSED[1] * DAY
                customer = Customer(1001 + len(found), random.Random(dice.random()), at, now, is_paused)
                customer.kind = kind
                getattr(customer, kind)()
                if at < now:
                    found.append(customer)
    return found


def decoded(jws: str) -> dict:
    part = jws.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


class Month:
    """The server, and the time that it goes by."""

    def __init__(self, arguments: argparse.Namespace):
        address = urllib.parse.urlsplit(arguments.url)
        self.connection = http.client.HTTPConnection(address.hostname, address.port, timeout=30)
        self.tokens = {role: (arguments.tokens / role).read_text().strip() for role in ("client", "support", "marketing")}
        self.clock = arguments.clock
        self.issued: dict[int, str | None] = {}
        self.answers: dict[str, collections.Counter] = collections.defaultdict(collections.Counter)

    def set(self, at: datetime.datetime) -> None:
        new = self.clock.with_suffix(".new")
        new.write_text(f"{milliseconds(at)}\n")
        new.replace(self.clock)

    def send(self, role: str, method: str, path: str, body: bytes | dict, *expected: int, **headers: str) -> tuple[int, dict]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        fields = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.tokens[role]}"} if role else {})
        self.connection.request(method, path, data, fields | {name.replace("_", "-"): value for name, value in headers.items()})
        response = self.connection.getresponse()
        text = response.read()
        if response.status not in expected:
            sys.exit(f"error: {method} {path} was answered {response.status}: {text[:500].decode(errors='replace')}")
        return response.status, json.loads(text or b"{}")

    def order(self, customer: Customer, body: dict, signed: "Signed | None") -> None:
        """Asks for an offer, with what Apple had signed about the customer before they came."""
        data = [decoded(jws)["data"] for jws in (signed.before(customer.at) if signed else [])]
        # A later one of the same transaction is about the same purchase.
        bought = {decoded(part["signedTransactionInfo"])["transactionId"]: part["signedTransactionInfo"] for part in data}
        renewals = [part["signedRenewalInfo"] for part in data if "signedRenewalInfo" in part][-1:]
        names = {"customerId": customer.name, "appAccountToken": customer.token}
        delivery = {"signedTransactions": list(bought.values()), "signedRenewalInfo": renewals, "historyComplete": True}
        delivery |= signed.app if signed else {}
        status, answer = self.send("client", "POST", "/v1/issued-offers", {**body, **delivery, "customer": names}, 200, 201, 403, 422)
        self.answers[body["offerId"]][status] += 1
        self.issued[customer.number] = answer.get("issuedOfferId")

    def apply(self, after: int, catalog: str, message: str) -> None:
        path = f"/v1/catalog?message={urllib.parse.quote(message)}"
        self.send("marketing", "PUT", path, catalog.encode(), 200, Content_Type="application/yaml", If_Match=f'"{after}"')

    def void(self, customer: Customer, reason: str) -> None:
        self.send("support", "POST", f"/v1/issued-offers/{self.issued[customer.number]}/void", {"reason": reason}, 200)

    def notify(self, jws: str) -> None:
        self.send("", "POST", f"/v1/app-store/{APP}/LocalTesting/notifications", {"signedPayload": jws}, 200)


class Signed:
    """What the App Store signs about a customer: the notifications by date, and for a newcomer the app transaction."""

    def __init__(self, customer: Customer, arguments: argparse.Namespace):
        sign = [arguments.offerd, "dev", "sign", "--root", arguments.root, "--scenario"]
        lines = self.play(customer, customer.scenario(), [*sign, "FILE", "--notifications"]).splitlines()
        payloads = [json.loads(line)["signedPayload"] for line in lines]
        self.notifications = [(moment(decoded(jws)["signedDate"]), jws) for jws in payloads]
        self.app: dict = {}
        if not self.before(customer.at):
            installed = {**customer.scenario(), "steps": customer.steps[:1], "signedAt": text(customer.at)}
            self.app = {"signedAppTransaction": json.loads(self.play(customer, installed, [*sign, "FILE"]))["signedAppTransaction"]}

    def before(self, at: datetime.datetime) -> list[str]:
        return [jws for date, jws in self.notifications if date <= at]

    def after(self, at: datetime.datetime) -> list[tuple[datetime.datetime, str]]:
        return [(date, jws) for date, jws in self.notifications if date > at]

    @staticmethod
    def play(customer: Customer, scenario: dict, command: list) -> str:
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(scenario, file)
            file.flush()
            command = [file.name if word == "FILE" else word for word in command]
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"error: the scenario of {customer.name} is refused: {done.stderr}")
        return done.stdout


def live(arguments: argparse.Namespace) -> None:
    now = moment(int(time.time()) * 1000)
    start = moment(int(arguments.clock.read_text()))
    month, customers = Month(arguments), people(start, now)
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    order, events = itertools.count(), []

    def at(date: datetime.datetime, action, *values) -> None:
        if date < now:
            heapq.heappush(events, (date, next(order), action, values))

    def arrive(customer: Customer, signing: concurrent.futures.Future) -> None:
        signed = signing.result()
        for date, body in customer.orders:
            at(date, month.order, customer, body, signed)
        # What happened before is sent with the first order.
        for date, jws in signed.after(customer.at):
            at(date, month.notify, jws)

    catalog = arguments.catalog.read_text()
    month.apply(0, catalog, "the first offers")
    at(start + LAUNCH * DAY, month.apply, 1, catalog + CAMPAIGN, "hello-again, with a mail")
    pause = {"until": milliseconds(start + PAUSED[1] * DAY), "reason": "the price in the app is wrong until version 4.2"}
    at(start + PAUSED[0] * DAY, month.send, "marketing", "POST", "/v1/offers/comeback-half-price/pause", pause, 200)
    for customer in customers:
        at(customer.at, arrive, customer, pool.submit(Signed, customer, arguments))
    for date, action, values in extras(month, customers):
        at(date, action, *values)
    try:
        while events:
            date, _, action, values = heapq.heappop(events)
            month.set(date)
            action(*values)
    finally:
        pool.shutdown(cancel_futures=True)
    month.set(now)
    print(f"{len(customers)} customers lived through {(now - start).days} days:")
    for offer, answers in sorted(month.answers.items()):
        print(f"  {offer}: {answers[201]} issued, {answers[403]} refused, {answers[422]} undetermined")


def extras(month: Month, customers: list[Customer]) -> list[tuple]:
    """What support does: a grant for one who was refused, and a void."""
    refused = next(one for one in customers if one.kind == "returning" and len(one.orders) == 2 and one.redeems)
    again = refused.orders[1][0]
    grant = {"customer": {"customerId": refused.name}, "offerId": "comeback-half-price", "reason": "waited two weeks for an answer"}
    mistaken = next(one for one in customers if one.kind == "leaving" and not one.redeems and not one.is_paused)
    return [
        (again + DAY / 8, month.send, ("support", "POST", "/v1/grants", grant, 201)),
        (again + DAY / 4, month.order, (refused, refused.orders[1][1], None)),
        (mistaken.orders[0][0] + DAY / 24, month.void, (mistaken, "the customer asked to stay at the full price")),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", required=True)
    for name, what in {
        "offerd": "the program that signs", "root": "the local App Store's folder", "tokens": "the folder of the API keys' tokens",
        "clock": "the server's clock file", "catalog": "the catalog to apply first",
    }.items():
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True, help=what)
    try:
        live(parser.parse_args())
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
