"""The goals, beside what was measured. Every figure is of the one run that is judged."""

from dataclasses import dataclass

MISSED, MET, UNKNOWN = "missed", "met", "not measured"


@dataclass
class Goal:
    what: str
    wanted: str
    measured: str
    verdict: str


def rows_at(rows: list[dict], **wanted: object) -> dict | None:
    return next((row for row in rows or [] if all(row[name] == value for name, value in wanted.items())), None)


def together(*rates: float) -> float:
    """The rate of several things done one after the other."""
    return 1 / sum(1 / rate for rate in rates)


def goal(what: str, wanted: str, value: float | None, holds, text: str) -> Goal:
    if value is None:
        return Goal(what, wanted, "–", UNKNOWN)
    return Goal(what, wanted, text.format(value), MET if holds(value) else MISSED)


def told(what: str, value: float | None, text: str) -> Goal:
    """A figure shown beside the goals that has no goal of its own."""
    return Goal(what, "for information; no goal", "–" if value is None else text.format(value), "")


def quotient(over: float | None, under: float | None) -> float | None:
    return over / under if over is not None and under else None


def ceilings(figures: dict, connections: int = 32) -> dict:
    """The rates that nothing could exceed: exchange, reads, decision, signature and commit, one after the other.

    `two`: what both cores give where work can be shared between them; `one`: those parts at the rate of one core.
    """
    floors = figures.get("floors")
    if not floors or connections not in floors["echo"]:
        return {}
    echo, commit, ingest = floors["echo"][connections]["rate"], floors["commit"]["perSecond"], floors["ingest"]["perSecond"]
    return {
        cores: {
            "issued": together(
                echo, floors["read"][cores], floors["decide"][cores], floors["sign"][cores], commit),
            "transactions": together(echo, floors["verify"][cores], ingest),
            "decisions": together(echo, floors["read"][cores], floors["decide"][cores]),
        }
        for cores in ("one", "two")
    }


def of_ceiling(what: str, wanted: float, rate: float | None, part: str, limits: dict) -> Goal:
    """Judged by the higher ceiling, with the lower one told beside it."""
    text = f"at least {wanted:.0%} of the ceiling"
    if rate is None or not limits:
        return Goal(what, text, "–", UNKNOWN)
    strict, mild = rate / limits["two"][part], rate / limits["one"][part]
    return Goal(
        what, text, f"{rate:,.0f} of {limits['two'][part]:,.0f}: {strict:.0%} ({mild:.0%} with one core's rates)",
        MET if strict >= wanted else MISSED)


def judge(figures: dict) -> list[Goal]:
    issued, limits = figures.get("issued"), ceilings(figures)
    at = lambda signatures, connections: rows_at(issued, signatures=signatures, connections=connections)
    rate = lambda row, who="offerd": row[who]["rate"] if row and who in row else None
    v2, v1, both = at("v2", 32), at("v1", 32), at("v1 and v2", 32)
    sixty_four = at("v2", 64)
    beside = lambda row: quotient(rate(row), rate(row, "peer"))
    slow = {row["connections"]: row for row in figures.get("slowDisk") or []}
    cost = figures.get("cost") or {}
    hundred, thousand = rows_at(cost.get("offers"), offers=100), rows_at(cost.get("transactions"), transactions=1_000)
    library = (figures.get("micro") or {}).get("library") or {}
    ingest = rows_at(figures.get("transactions"), connections=32)
    one = rows_at(figures.get("decisions"), question="one offer", connections=32)
    twenty = (figures.get("micro") or {}).get("ours", {}).get("decide 20 offers over 200 transactions")
    memory = figures.get("memory") or {}
    single = max((value for value in (rate(v1), rate(v2)) if value), default=None)
    ingest_rate = ingest["rate"] if ingest else None
    late = quotient(sixty_four["offerd"]["p99"], sixty_four["offerd"]["p50"]) if sixty_four else None
    grown = quotient(memory.get("secondHalf"), memory.get("firstHalf"))
    is_whole = memory.get("issued") == 1_000_000 and memory.get("minutes", 0) >= 10
    return [
        goal("issued-offers, V2, 32 connections, beside the peer", "at least 2 times", beside(v2),
             lambda value: value >= 2, "{:.2f} times"),
        goal("the same, 64 connections", "at least 2 times", beside(sixty_four), lambda value: value >= 2, "{:.2f} times"),
        goal("the same, one connection", "at least 1.2 times", beside(at("v2", 1)), lambda value: value >= 1.2, "{:.2f} times"),
        of_ceiling("the same beside 1/(1/echo + 1/read + 1/decide + 1/sign + 1/commit)", 0.6, rate(v2), "issued", limits),
        goal("issued-offers, V2, 64 connections, p99 beside p50", "at most 4 times", late,
             lambda value: value <= 4, "{:.2f} times"),
        goal("issued-offers: failed requests, broken limits, answers without rows", "none", 0 if issued else None,
             lambda value: value == 0, "{}"),
        goal("issued-offers, 64 connections, flushes 5 ms slower, beside the same disk as it is", "at least 60%",
             quotient(slow[64]["slow"]["rate"], slow[64]["fast"]["rate"]) if 64 in slow else None,
             lambda value: value >= 0.6, "{:.0%}"),
        goal("the same, p99", "below 80 ms", slow[64]["slow"]["p99"] if 64 in slow else None,
             lambda value: value < 80, "{:.1f} ms"),
        goal("the same, one connection: flushes an issue", "one", slow[1]["slow"]["flushes"] if 1 in slow else None,
             lambda value: value < 1.05, "{:.2f}"),
        goal("issued-offers, V1 and V2 in one reply, beside one of them", "at least 0.7 times",
             quotient(rate(both), single), lambda value: value >= 0.7, "{:.2f} times"),
        goal("transactions, 32 connections, beside Apple's library verifying in one process", "at least 8 times",
             quotient(ingest_rate, library.get("verify")), lambda value: value >= 8, "{:.1f} times"),
        told("the same beside that library with its chain cached",
             quotient(ingest_rate, library.get("verifyCached")), "{:.1f} times"),
        of_ceiling("transactions, 32 connections, beside 1/(1/echo + 1/verify + 1/commit)", 0.45, ingest_rate,
                   "transactions", limits),
        of_ceiling("decisions, one offer, 32 connections, beside 1/(1/echo + 1/read + 1/decide)", 0.5,
                   one["rate"] if one else None, "decisions", limits),
        goal("decisions, every offer of a catalog with 100, 32 connections", "at least 1,200 a second",
             hundred["decisions"]["rate"] if hundred else None, lambda value: value >= 1_200, "{:,.0f}"),
        goal("issued-offers, 1,000 transactions a customer, 32 connections", "at least 1,500 a second",
             thousand["issued"]["rate"] if thousand else None, lambda value: value >= 1_500, "{:,.0f}"),
        goal("file for each issued offer, V2, indexes included", "at most 2.0 KB", v2["bytes"] if v2 else None,
             lambda value: value <= 2_048, "{:,.0f} bytes"),
        goal("20 offers decided over 200 transactions, one core", "under 200 µs", twenty["median"] if twenty else None,
             lambda value: value < 200, "{:.0f} µs"),
        goal("memory, idle", "below 40 MB", memory.get("idleSmall"), lambda value: value < 40, "{:.0f} MB"),
        goal("memory after 1,000,000 issued offers and 10 minutes of load", "below 150 MB",
             memory.get("after") if is_whole else None, lambda value: value < 150, "{:.0f} MB"),
        goal("the same, the second half of the load beside the first", "flat: at most 5 % more", grown if is_whole else None,
             lambda value: value <= 1.05, "{:.2f} times"),
        goal("ready after start with 1,000,000 issued offers", "within 300 ms", memory.get("ready") if is_whole else None,
             lambda value: value <= 300, "{:.0f} ms"),
        *of_postgres(figures.get("postgres")),
    ]


def of_postgres(found: dict | None) -> list[Goal]:
    """What is asked of several servers on PostgreSQL."""
    issued, signed = (rows_at(found["issued"], connections=64), found["transactions"]) if found else ({}, {})
    limited, unlimited = (found["servers"][name] for name in ("limited", "unlimited")) if found else ({}, {})
    value = lambda rows, who, name="rate": rows.get(who, {}).get(name)
    rate = lambda what, rows, who, least: goal(
        what, f"at least {least:,} a second", value(rows, who), lambda measured: measured >= least, "{:,.0f}")
    late = lambda who: goal(
        "the same, p99", "at most 120 ms", value(issued, who, "p99"), lambda measured: measured <= 120, "{:.1f} ms")
    beside = lambda what, rows, least: goal(
        what, f"at least {least} times", quotient(value(rows, "three"), value(rows, "one")), lambda measured: measured >= least,
        "{:.2f} times")
    failed = [
        row[who]["failed"] for row in (*found["issued"], signed, limited, unlimited)
        for who in ("sqlite", "socket", "far", "one", "three") if who in row] if found else []
    return [
        rate("PostgreSQL over its socket: issued-offers, 64 connections", issued, "socket", 1_000),
        late("socket"),
        rate("the same, a round trip of 2 ms", issued, "far", 700),
        late("far"),
        rate("PostgreSQL over its socket: transactions, 32 connections", signed, "socket", 500),
        rate("the same, a round trip of 2 ms", signed, "far", 250),
        beside("three servers on PostgreSQL beside one, a quarter of a core each", limited, 2.5),
        beside("the same without that limit, on the same cores", unlimited, 0.85),
        goal("PostgreSQL: failed requests, broken limits, answers without rows", "none", sum(failed) if found else None,
             lambda value: value == 0, "{}"),
    ]
