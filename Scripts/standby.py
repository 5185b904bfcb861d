"""Loses a host under load, goes on with a copy on another one, and judges what clients got from both.

usage: standby.py --offerd PROGRAM [--runs N] [--interval SECONDS] [--without-fencing]

To be run by Scripts/standby, in network and mount namespaces of its own. Exits 0 if all held, 1 if something broke.
"""

import argparse
import collections
import contextlib
import dataclasses
import json
import pathlib
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
from functools import partial

from outage_database import Failed, wait_until
from standby_hosts import Clock, Host, Network, enter
from standby_load import DAY, HELD, ONCE, OPEN, PLACES, Claim, Load

HOUR = DAY // 24
# For how long limited offers are held back after a restore: longer than a signature lives.
HOLD = 25 * HOUR
TOTAL = 60
CLIENTS, CLIENTS_ON_A = 10, 2
# How many checks in a row fail before the operator acts.
CHECKS = 3
# How long a checkpoint of the audit, due after a thousand events, may take.
LONGEST_WAIT = 120


@dataclasses.dataclass
class Outcome:
    """- age: of the copy at the cut, in seconds.
    - lost: signatures that clients have and the copy does not.
    - seconds: from the first of them to the last.
    - named: how many events the copy lacks of those that the witness knows.
    - back: from the cut to the first offer of the other host.
    - held: requests that were refused because of the restore.
    - twice: customers with an offer more than once that each may have once.
    - places: of the offer with a total, how many were given at once, at most.
    """
    age: float = 0
    lost: int = 0
    seconds: float = 0
    named: int = 0
    back: float = 0
    held: int = 0
    twice: int = 0
    places: int = 0

    def row(self) -> list[str]:
        return [
            f"{self.age:.1f} s", str(self.lost), f"{self.seconds:.1f} s", f"{self.named} events" if self.named else "nothing",
            f"{self.back:.1f} s", str(self.held), str(self.twice), str(self.places)]


def offer(name: str, limits: str) -> str:
    return f"""
  - id: {name}
    type: promotional
    offerIdentifier: {name}50
    products: [com.example.pro.monthly]
    paymentMode: payAsYouGo
    period: P1M
    periodCount: 3
    price: {{ amount: "4.99", currency: USD }}
    status: active
    limits: [{limits}]
    signaturesPerOffer: 100
"""


CATALOG = """bundleId: com.example.pro
subscriptionGroups:
  - id: "21500001"
    products:
      - { productId: com.example.pro.monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
offers:
""" + offer(OPEN, "") + offer(ONCE, "{ count: 1, per: customer }") + offer(
    PLACES, f"{{ count: 1, per: customer }}, {{ count: {TOTAL} }}")


class Run:
    def __init__(self, folder: pathlib.Path, network: Network, arguments: argparse.Namespace, seed: int):
        self.network = network
        self.interval = arguments.interval
        self.waits_for_witness = seed % 3 == 0
        self.fences = not arguments.without_fencing
        self.chance = random.Random(seed)
        folder.mkdir()
        self.clock = Clock(folder / "clock")
        self.a, self.b = (
            Host(name, number, arguments.offerd, folder / name, self.clock) for number, name in enumerate(("a", "b")))
        self.urls = {"a": self.a.url, "b": self.b.url}
        self.load: Load | None = None
        self.outcome = Outcome()
        self.complaints: list[str] = []

    def go(self) -> None:
        self.begin()
        cut = self.lose()
        recorded = self.restore()
        wait_until(lambda: self.load.received("b"), "host b issues nothing")
        self.outcome.back = self.load.received("b")[0].received - cut
        lost = self.find_lost(recorded)
        self.ask_again(lost)
        self.load.end()
        self.judge("after the restore")
        self.a_day_later(lost)
        self.judge("a day later")

    def begin(self) -> None:
        self.a.install()
        self.b.install_like(self.a)
        tokens = {role: self.a.token(role) for role in ("client", "marketing")}
        self.a.start()
        self.a.apply(CATALOG, tokens["marketing"])
        self.load = Load(self.clock.now, tokens["client"], self.a.folder / "root", self.chance.randrange(1 << 30))
        self.b.receive_copies()
        self.a.send_copies(self.b, self.interval)
        for number in range(CLIENTS):
            # Half of them ask B first: they go on with A only where B does not serve.
            names = ("a", "b") if number % 2 == 0 else ("b", "a")
            self.load.add_client({name: self.urls[name] for name in names})
        for _ in range(CLIENTS_ON_A):
            self.load.add_client({"a": self.a.url}, partial(enter, "a"))
        wait_until(lambda: len(self.b.copies()) >= 2, "no copies arrive")
        if self.waits_for_witness:
            # So that the witness knows of what the newest copy lacks.
            known = self.known_to_witness()
            wait_until(lambda: self.known_to_witness() > known, "the witness gets no checkpoint", LONGEST_WAIT)
        else:
            # Anywhere between two copies.
            time.sleep(self.interval * (1 + self.chance.random()))

    def lose(self) -> float:
        """Cuts A off, waits until the operator is sure that it is gone, and fences it; gives the time of the cut."""
        cut = time.monotonic()
        self.network.cut("a")
        copy = self.b.copies()[-1]
        self.outcome.age = time.time() - int(copy.stem.removeprefix("copy-")) / 1_000
        failed = 0
        while failed < CHECKS:
            began = time.monotonic()
            failed = 0 if self.a.is_ready(patience=1) else failed + 1
            time.sleep(max(0, began + 1 - time.monotonic()))
        if self.fences:
            self.a.switch_off()
        # A cable that is plugged in again must not bring A back.
        self.network.join("a")
        if self.fences and self.a.is_ready():
            raise Failed("host a is fenced, and answers")
        return cut

    def known_to_witness(self) -> int:
        """The newest event of which the witness on B has a checkpoint."""
        witness = self.b.folder / "copies" / "witness"
        if not witness.exists():
            return 0
        lines = witness.read_text(encoding="utf-8").splitlines()
        return max((json.loads(line).get("eventSequence", 0) for line in lines), default=0)

    def restore(self) -> set[str]:
        """Restores the newest copy on B and starts B; gives the signatures that the copy has."""
        copy = self.b.copies()[-1]
        with contextlib.closing(sqlite3.connect(f"file:{copy}?mode=ro", uri=True)) as database:
            newest, = database.execute("SELECT max(sequence) FROM audit_event").fetchone()
            signatures = {row[0] for row in database.execute(
                "SELECT jws FROM issued_offer UNION SELECT jws FROM signing")}
        self.outcome.named = max(0, self.known_to_witness() - newest)
        shutil.copy(self.b.folder / "copies" / "witness", self.b.witness)
        self.b.command("restore", copy, "--config", self.b.config)
        if self.outcome.named and self.b.succeeds("verify-ledger", "--config", self.b.config):
            self.complaints.append("the witness has checkpoints that the copy lacks, and verify-ledger says nothing")
        self.b.command("verify-ledger", "--config", self.b.config, "--accept-restore", "host a was lost")
        self.b.start()
        return signatures

    def find_lost(self, recorded: set[str]) -> list[Claim]:
        lost = [claim for claim in self.load.received("a") if claim.signature not in recorded]
        self.outcome.lost = len(lost)
        if lost:
            self.outcome.seconds = lost[-1].received - lost[0].received
        return lost

    def ask_again(self, lost: list[Claim]) -> None:
        """Half of those whose offers were lost redeem them; the apps of all ask again, and so do new customers."""
        for claim in lost:
            claim.redeemed = self.chance.random() < 0.5
            self.load.ask(claim.customer, claim.offer, {"b": self.b.url})
        for _ in range(TOTAL + 1):
            if any(refusal.offer == PLACES for refusal in self.load.refused("b")):
                return
            self.load.ask(next(self.load.numbers), PLACES, {"b": self.b.url})
        self.complaints.append(f"host b gave all {TOTAL} places and more")

    def judge(self, when: str) -> None:
        """Counts over all signatures that clients have from both hosts."""
        now = self.clock.now()
        living = [claim for claim in self.load.claims.values() if claim.lives(now)]
        uses = collections.Counter((claim.customer, claim.offer) for claim in living if claim.offer != OPEN)
        twice = {customer for (customer, _), count in uses.items() if count > 1}
        places = sum(claim.offer == PLACES for claim in living)
        self.outcome.twice = max(self.outcome.twice, len(twice))
        self.outcome.places = max(self.outcome.places, places)
        if twice:
            self.complaints.append(f"{when}, {len(twice)} customers had an offer twice that each may have once")
        if places > TOTAL:
            self.complaints.append(f"{when}, `{PLACES}` was given {places} times, and {TOTAL} are its places")
        held = [refusal for refusal in self.load.refused("b") if HELD in refusal.reasons]
        self.outcome.held = len(held)
        if any(refusal.until is None for refusal in held):
            self.complaints.append("a held offer does not say when it can be had")
        if early := [refusal for refusal in held if refusal.offer == OPEN]:
            self.complaints.append(f"an offer without limits was held back {len(early)} times")
        self.complaints += self.load.faults[:5]
        self.load.faults = []

    def a_day_later(self, lost: list[Claim]) -> None:
        """Purchases are reported, the hold ends, and each customer asks once more."""
        redeemed = [claim for claim in lost if claim.redeemed]
        for claim in redeemed:
            self.load.report(claim, self.b.url)
        self.clock.advance(HOLD + HOUR)
        wait_until(self.b.is_ready, "host b is not ready a day later")
        has_redeemed = {(claim.customer, claim.offer) for claim in redeemed}
        for claim in lost:
            if claim.offer != ONCE:
                continue
            status, answer = self.load.ask(claim.customer, ONCE, {"b": self.b.url})
            reasons = {finding["reason"] for finding in answer.get("findings", [])}
            if (claim.customer, ONCE) in has_redeemed:
                if status != 403 or "limitReached" not in reasons:
                    self.complaints.append(f"a customer who has redeemed `{ONCE}` was answered {status} {sorted(reasons)}")
            elif status not in (200, 201):
                self.complaints.append(f"a customer who has not redeemed `{ONCE}` was answered {status} {sorted(reasons)}")
        before = len(self.load.refused("b"))
        hosts = [self.b] if self.fences else [self.a, self.b]
        for number in range(len(hosts) * (TOTAL + 1)):
            host = hosts[number % len(hosts)]
            self.load.ask(next(self.load.numbers), PLACES, {host.name: host.url})
        if any(HELD in refusal.reasons for refusal in self.load.refused("b")[before:]):
            self.complaints.append("a day later offers are still held back")

    def stop(self) -> None:
        if self.load:
            self.load.end()
        for host in (self.a, self.b):
            host.stop()
        self.clock.end()


def table(outcomes: list[Outcome]) -> None:
    rows = [["run", "copy's age", "lost", "in", "named", "back after", "held", "twice", f"places of {TOTAL}"]]
    rows += [[str(number), *outcome.row()] for number, outcome in enumerate(outcomes, 1)]
    print()
    for row in rows:
        print("".join(f"{word:<13}" for word in row).rstrip(), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--offerd", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--interval", type=int, default=5)
    parser.add_argument("--without-fencing", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(1))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="offerd-standby."))
    network = Network(["a", "b"], folder / "commands.log")
    outcomes, holds = [], True
    try:
        for number in range(arguments.runs):
            run = Run(folder / str(number + 1), network, arguments, arguments.seed + number)
            print(f"run {number + 1}/{arguments.runs}", flush=True)
            try:
                run.go()
            except Failed as failure:
                run.complaints.append(str(failure))
            finally:
                run.stop()
            outcomes.append(run.outcome)
            for complaint, count in collections.Counter(run.complaints).items():
                print(f"  broken: {complaint}" + (f" ({count} times)" if count > 1 else ""), flush=True)
            if run.complaints:
                holds = False
            else:
                shutil.rmtree(folder / str(number + 1))
    finally:
        table(outcomes)
        if holds:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"hint: the logs and the data are in {folder}", file=sys.stderr)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
