"""Lets servers and their PostgreSQL fail under load, and judges what clients got.

usage: outages.py --offerd PROGRAM --postgres FOLDER [--times N] [--only FAULT,…] [--clients N] [--preload LIBRARY]

Three servers share a primary with a synchronous standby. After each fault, `Judge` compares all that clients were answered with
the database. Exits 0 if all held, 1 if something broke.
"""

import argparse
import dataclasses
import os
import pathlib
import random
import shutil
import signal
import sys
import tempfile
import time

from outage_database import Failed, Pair, run, wait_until
from outage_judge import Judge
from outage_load import Load
from outage_servers import COUNT, Network, Servers

# The longest time without a new signature: of servers that the fault does not concern, and while all wait for the database.
LONGEST, LONGEST_OF_DATABASE = 3.0, 15.0
# How long a server that the fault concerns may need to be useful again.
LONGEST_RETURN = 20.0
# As docs/scale.md says.
MOST_CONNECTIONS = 25
PLACES = 20


@dataclasses.dataclass
class Outcome:
    """- gap: the longest time in which a server that went on made no signature."""
    gap: float
    longest: float
    detail: str = ""


class Drill:
    def __init__(self, database: Pair, servers: Servers, load: Load, network: Network | None, chance: random.Random):
        self.database = database
        self.servers = servers
        self.load = load
        self.network = network
        self.chance = chance
        self.contested = ""

    def settle(self, since: float, places: range | list[int], seconds: float) -> float:
        """Waits until each of some servers has made a signature since a time, and gives the time it took."""
        for place in places:
            wait_until(
                lambda place=place: self.load.has_issued(place, since), f"{self.servers.name(place)} issues nothing", seconds)
        return time.monotonic() - since

    def gap(self, places: list[int] | range, since: float) -> float:
        now = time.monotonic()
        return max(self.load.longest_gap(place, since, now) for place in places)

    def gap_for(self, seconds: float, places: list[int], since: float) -> float:
        """The same once a fault has lasted for some seconds, and the places have issued again."""
        time.sleep(max(0, since + seconds - time.monotonic()))
        self.settle(since + 1, places, LONGEST_OF_DATABASE)
        return self.gap(places, since)

    def others(self, place: int) -> list[int]:
        return [other for other in range(COUNT) if other != place]

    def run_up(self) -> None:
        """Lets the load run for some time, so that the fault meets it anywhere."""
        self.settle(time.monotonic(), range(COUNT), LONGEST_RETURN)
        time.sleep(self.chance.uniform(0.3, 1.3))
        self.load.contest(self.contested)

    def kill(self, number: int) -> Outcome:
        place = number % COUNT
        self.run_up()
        since = time.monotonic()
        self.servers.kill(place)
        self.settle(since, self.others(place), LONGEST_OF_DATABASE)
        self.servers.start(place)
        self.settle(time.monotonic(), range(COUNT), LONGEST_RETURN)
        return Outcome(self.gap(self.others(place), since), LONGEST)

    def holder(self, place: int, begin, undo) -> tuple[float, bool]:
        """Begins a fault at a moment at which the server has the lock; after some attempts, at any.

        - undo: ends an attempt that missed the moment.
        """
        self.run_up()
        for attempt in range(60):
            time.sleep(self.chance.uniform(0, 0.05))
            since = time.monotonic()
            begin(place)
            if self.database.holds_lock(self.servers.name(place)):
                return since, True
            if attempt < 59:
                undo(place)
        return since, False

    def stopped(self, number: int) -> Outcome:
        place = number % COUNT
        since, is_holder = self.holder(
            place, lambda place: self.servers.send(place, signal.SIGSTOP), lambda place: self.servers.send(place, signal.SIGCONT))
        seconds = self.chance.uniform(3, 7)
        try:
            gap = self.gap_for(seconds, self.others(place), since)
        finally:
            self.servers.send(place, signal.SIGCONT)
        back = self.settle(time.monotonic(), range(COUNT), LONGEST_RETURN)
        return Outcome(gap, LONGEST, f"{seconds:.0f} s, {with_lock(is_holder)}, back after {back:.1f} s")

    def rolling(self, number: int) -> Outcome:
        longest = 0.0
        for place in range(COUNT):
            self.run_up()
            since = time.monotonic()
            status = self.servers.end(place)
            if status != 0:
                raise Failed(f"{self.servers.name(place)} ended with {status} after SIGTERM")
            self.servers.start(place)
            self.settle(time.monotonic(), range(COUNT), LONGEST_RETURN)
            longest = max(longest, self.gap(self.others(place), since))
        return Outcome(longest, LONGEST)

    def restarted(self, number: int) -> Outcome:
        mode = ("fast", "immediate")[number % 2]
        self.run_up()
        since = time.monotonic()
        self.database.restart(mode)
        took = time.monotonic() - since
        self.settle(time.monotonic(), range(COUNT), 2 * LONGEST_OF_DATABASE)
        return Outcome(self.gap(range(COUNT), since), LONGEST_OF_DATABASE, f"{mode}, PostgreSQL was back after {took:.1f} s")

    def failover(self, number: int) -> Outcome:
        self.run_up()
        since = time.monotonic()
        self.database.fail_over()
        took = time.monotonic() - since
        self.settle(time.monotonic(), range(COUNT), 2 * LONGEST_OF_DATABASE)
        gap = self.gap(range(COUNT), since)
        self.database.add_standby()
        self.settle(time.monotonic(), range(COUNT), LONGEST_RETURN)
        return Outcome(gap, LONGEST_OF_DATABASE, f"the standby had taken over after {took:.1f} s")

    def cut_off(self, number: int) -> Outcome:
        place = COUNT - 1
        seconds = self.chance.uniform(3, 9)
        since, is_holder = self.holder(place, lambda _: self.network.cut(), lambda _: self.network.join())
        try:
            gap = self.gap_for(seconds, self.others(place), since)
        finally:
            self.network.join()
        back = self.settle(time.monotonic(), range(COUNT), LONGEST_RETURN)
        name = self.servers.name(place)
        wait_until(
            lambda: self.database.connections(name) <= MOST_CONNECTIONS,
            f"PostgreSQL has more than {MOST_CONNECTIONS} connections of {name}: it keeps those from before the cut")
        return Outcome(gap, LONGEST, f"{seconds:.0f} s, {with_lock(is_holder)}, back after {back:.1f} s")


def with_lock(is_holder: bool) -> str:
    return "with the lock" if is_holder else "without the lock"


FAULTS = {
    "kill": Drill.kill, "stopped": Drill.stopped, "rolling": Drill.rolling, "database": Drill.restarted, "failover": Drill.failover,
    "network": Drill.cut_off,
}


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
    limits: [{{ count: 1, per: customer }}, {limits}]
    signaturesPerOffer: 100
"""


def contested(fault: str, number: int) -> str:
    """The offer with few places that clients ask for during a fault."""
    return f"{fault}-{number + 1}"


def catalog(faults: list[str], times: int) -> str:
    offers = [offer("once", "{ count: 10000000 }")] + [
        offer(contested(fault, number), f"{{ count: {PLACES} }}") for fault in faults for number in range(times)]
    return """bundleId: com.example.pro
subscriptionGroups:
  - id: "21500001"
    products:
      - { productId: com.example.pro.monthly, level: 1, period: P1M, price: { amount: "9.99", currency: USD } }
offers:
""" + "".join(offers)


def repeat(fault: str, times: int, drill: Drill, judge: Judge) -> tuple[list[str], bool]:
    """Repeats a fault; gives the row of the table, and whether all held."""
    longest, holds, before = 0.0, True, (judge.received, judge.recorded)
    for number in range(times):
        drill.contested = contested(fault, number)
        drill.load.go()
        try:
            outcome, complaints = FAULTS[fault](drill, number), []
            wait_until(lambda: drill.load.refusals > 0, f"the {PLACES} places of an offer were not asked for")
        except Failed as failure:
            outcome, complaints = Outcome(0, 0), [str(failure)]
        complaints += drill.servers.ended()
        if outcome.gap > outcome.longest:
            complaints.append(f"no signature for {outcome.gap:.1f} s, and at most {outcome.longest:.0f} were expected")
        if not drill.load.rest():
            complaints.append("requests are without an answer")
        complaints += judge.complaints(drill.contested, PLACES)
        longest = max(longest, outcome.gap)
        detail = f" ({outcome.detail})" if outcome.detail else ""
        print(
            f"{fault} {number + 1}/{times}{detail}: issued again after {outcome.gap:.1f} s; {judge.received} received, "
            f"{judge.recorded} recorded, {judge.places} of {PLACES} places", flush=True)
        for complaint in complaints:
            print(f"  broken: {complaint}", flush=True)
        holds = holds and not complaints
        if drill.servers.ended():
            break
    began = time.monotonic()
    try:
        drill.servers.command("verify-ledger", "--config", str(drill.servers.folder / "offerd.yaml"))
        print(f"{fault}: verify-ledger succeeded in {time.monotonic() - began:.0f} s", flush=True)
    except Failed as failure:
        print(f"  broken: {failure}", flush=True)
        holds = False
    row = [fault, str(times), f"{longest:.1f} s", str(judge.received - before[0]), str(judge.recorded - before[1])]
    return [*row, "held" if holds else "BROKEN"], holds


def make_network(log: pathlib.Path) -> Network | None:
    if os.geteuid() != 0:
        print("skipped: network, which needs root for a network namespace")
        return None
    if shutil.which("ip") is None:
        print("skipped: network, which needs the program `ip` (Debian: iproute2)")
        return None
    try:
        return Network(log)
    except Failed as failure:
        print(f"skipped: network, because a network namespace cannot be made: {failure}")
        return None


def rehearse(faults: list[str], arguments: argparse.Namespace, work: Drill, judge: Judge) -> bool:
    """Repeats each fault and prints the table; gives whether all held."""
    rows, holds = [], True
    try:
        for fault in faults:
            row, held = repeat(fault, arguments.times, work, judge)
            rows.append(row)
            holds = holds and held
            if work.servers.ended():
                break
    finally:
        print(f"\n{work.load.retries} attempts were repeated elsewhere\n")
        for row in [["fault", "times", "longest gap", "received", "recorded", ""], *rows]:
            print("".join(f"{word:<14}" for word in row).rstrip(), flush=True)
    return holds


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--offerd", type=pathlib.Path, required=True)
    parser.add_argument("--postgres", type=pathlib.Path, required=True)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--only", default=",".join(FAULTS))
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--preload", default="")
    arguments = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, lambda *_: sys.exit(1))
    folder = pathlib.Path(tempfile.mkdtemp(prefix="offerd-outages."))
    folder.chmod(0o755)
    faults = [fault for fault in FAULTS if fault in arguments.only.split(",")]
    network = make_network(folder / "commands.log") if "network" in faults else None
    if network is None:
        faults = [fault for fault in faults if fault != "network"]
    if not faults:
        shutil.rmtree(folder)
        return 2
    database = Pair(arguments.postgres, folder / "database", network.here if network else "")
    servers = Servers(arguments.offerd, folder / "offerd", database, network, arguments.preload)
    load, holds = None, False
    try:
        database.start()
        token = servers.prepare(catalog(faults, arguments.times))
        load = Load(COUNT, arguments.clients, lambda place: servers.urls[place], token, folder / "offerd" / "root")
        work = Drill(database, servers, load, network, random.Random(arguments.seed))
        holds = rehearse(faults, arguments, work, Judge(load, database))
    except Failed as failure:
        print(f"error: {failure}", file=sys.stderr)
    finally:
        if load:
            load.end()
        servers.stop()
        database.stop()
        if network:
            network.remove()
        if holds:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            print(f"hint: the logs and the data are in {folder}", file=sys.stderr)
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
