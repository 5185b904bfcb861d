"""What was measured, as tables: on the terminal, and in the generated part of docs/benchmarks.md."""

import platform
import re
import subprocess
import time
from pathlib import Path

import goals

BEGIN, END = "<!-- Scripts/bench writes from here -->", "<!-- to here -->"


def table(head: list[str], rows: list[list[object]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows])


def judged(figures: dict) -> str:
    return table(
        ["goal", "asked for", "measured", ""],
        [[goal.what, goal.wanted, goal.measured, goal.verdict] for goal in goals.judge(figures)])


def late(figures: dict) -> str:
    return ", ".join(f"{figures[name]:.1f}" for name in ("p50", "p90", "p99", "p999"))


def issued(rows: list[dict]) -> str:
    has_peer = "peer" in rows[0]
    head = ["signatures", "connections", "offerd/s", "p50, p90, p99, p99.9 ms"]
    head += ["peer/s", "ratio", "peer's ms"] if has_peer else []
    lines = []
    for row in rows:
        ours = row["offerd"]
        line = [row["signatures"], row["connections"], f"{ours['rate']:,.0f}", late(ours)]
        if has_peer:
            line += [f"{row['peer']['rate']:,.0f}", f"{ours['rate'] / row['peer']['rate']:.2f}", late(row["peer"])]
        lines.append(line)
    return table(head, lines)


def floors(figures: dict) -> str:
    found = figures["floors"]
    rate = lambda value: f"{value:,.0f}"
    lines = [
        [what, rate(found[name]["one"]), rate(found[name]["two"])]
        for what, name in (
            ("`openssl speed ecdsap256`, signing", "sign"), ("the same, verifying", "verify"),
            ("SQLite alone: what is known of one customer", "read"), ("one decision, prepared and decided", "decide"))
    ]
    lines += [
        [f"SQLite alone: one issue's rows, durable, 32 waiting, {found['commit']['batch']:.0f} a commit", "",
         rate(found["commit"]["perSecond"])],
        [f"SQLite alone: one transaction's row, durable, 32 waiting, {found['ingest']['batch']:.0f} a commit", "",
         rate(found["ingest"]["perSecond"])],
    ]
    lines += [
        [f"bare Hummingbird JSON echo, {connections} connections ({late(row)} ms)", "", rate(row["rate"])]
        for connections, row in found["echo"].items()
    ]
    text = table(["floor, a second", "one core", "both"], lines)
    for cores, limits in goals.ceilings(figures).items():
        text += (
            f"\n\nCeilings with the rates of {'both cores' if cores == 'two' else 'one core'}: issued-offers {rate(limits['issued'])}, "
            f"transactions {rate(limits['transactions'])}, decisions {rate(limits['decisions'])} a second.")
    return text


def micro(found: dict) -> str:
    library = {"sign v1": "sign v1", "sign v2": "sign v2", "sign introductory": "sign introductory",
               "verify, fresh chain": "verify", "verify, cached chain": "verifyCached"}
    lines = []
    for name, row in found["ours"].items():
        theirs = 1e6 / found["library"][library[name]] if name in library else None
        lines.append([
            name + (f", {row['perSecond']:,} a second" if "perSecond" in row else ""), f"{row['median']:,.1f}",
            f"{row['fastest']:,.1f}", f"{theirs:,.1f}" if theirs else "", f"{theirs / row['median']:.1f}" if theirs else ""])
    return table(["part, µs", "median", "fastest", "Apple's Python library", "ratio"], lines)


def plain(rows: list[dict], first: str) -> str:
    return table(
        [first, "connections", "a second", "p50, p90, p99, p99.9 ms"],
        [[row.get("question", "one transaction"), row["connections"], f"{row['rate']:,.0f}", late(row)] for row in rows])


def cost(rows: list[dict], name: str, what: str) -> str:
    return table(
        [what, "issued-offers/s", "p50, p90, p99, p99.9 ms", "decisions/s", "p50, p90, p99, p99.9 ms"],
        [[f"{row[name]:,}", f"{row['issued']['rate']:,.0f}", late(row["issued"]), f"{row['decisions']['rate']:,.0f}",
          late(row["decisions"])] for row in rows])


def slow_disk(rows: list[dict]) -> str:
    return table(
        ["connections", "as it is/s", "p50, p90, p99, p99.9 ms", "5 ms slower/s", "p50, p90, p99, p99.9 ms", "ratio", "flushes an issue"],
        [[row["connections"], f"{row['fast']['rate']:,.0f}", late(row["fast"]), f"{row['slow']['rate']:,.0f}", late(row["slow"]),
          f"{row['slow']['rate'] / row['fast']['rate']:.2f}", f"{row['slow']['flushes']:.2f}"] for row in rows])


def postgres(found: dict) -> str:
    where = {"sqlite": "SQLite", "socket": "PostgreSQL, its socket", "far": "PostgreSQL, 2 ms away"}
    loads = [("issued-offers", row) for row in found["issued"]] + [("transactions", found["transactions"])]
    text = (
        f"PostgreSQL {found['version']}; a question that costs it nothing takes {found['trip']['socket']:.2f} ms over its socket and "
        f"{found['trip']['far']:.2f} ms through the proxy.\n\n")
    text += table(
        ["request", "connections", "database", "a second", "p50, p90, p99, p99.9 ms", "failed"],
        [[name, row["connections"], where[who], f"{row[who]['rate']:,.0f}", late(row[who]), row[who]["failed"]]
         for name, row in loads for who in where])
    lines = []
    beside = lambda row, who: goals.quotient(row[who]["rate"], row["one"]["rate"])
    for name, what in (("limited", "a quarter of a core each"), ("unlimited", "all cores")):
        row = found["servers"][name]
        if "why" in row:
            text += f"\n\nThree servers with {what} were not measured: {row['why']}."
        else:
            lines += [
                [f"{who}, {what}", f"{row[who]['rate']:,.0f}", f"{beside(row, who) or 0:.2f}", late(row[who]), row[who]["failed"]]
                for who in ("one", "three")]
    if lines:
        text += "\n\n" + table(
            ["servers", "issued-offers/s", "beside one", "p50, p90, p99, p99.9 ms", "failed"], lines)
    return text


def memory(found: dict) -> str:
    return (
        f"Idle {found['idleSmall']:.0f} MB; on {found['issued']:,} issued offers {found['idle']:.0f} MB, ready "
        f"{found['ready']:.0f} ms after the start of the process. Under load ({found['requests']:,} signings) at most "
        f"{found['most']:.0f} MB, on average {found['firstHalf']:.1f} MB in its first half and {found['secondHalf']:.1f} MB in its "
        f"second, {found['after']:.0f} MB after it.")


def sections(figures: dict) -> list[tuple[str, str]]:
    found = [("Goals", judged(figures))]
    if figures.get("issued"):
        found.append(("`POST /v1/issued-offers`", issued(figures["issued"])))
    if figures.get("slowDisk"):
        found.append(("A slow disk", slow_disk(figures["slowDisk"])))
    if figures.get("decisions"):
        found.append(("`POST /v1/decisions`", plain(figures["decisions"], "question")))
    if figures.get("transactions"):
        found.append(("`POST /v1/transactions`", plain(figures["transactions"], "request")))
    if figures.get("postgres"):
        found.append(("PostgreSQL", postgres(figures["postgres"])))
    if figures.get("floors"):
        found.append(("Floors", floors(figures)))
    if figures.get("micro"):
        found.append(("Parts", micro(figures["micro"])))
    if figures.get("cost"):
        found.append(("Longer histories, 32 connections", cost(figures["cost"]["transactions"], "transactions", "transactions a customer")))
        found.append(("Larger catalogs, 32 connections", cost(figures["cost"]["offers"], "offers", "offers in the catalog")))
    if figures.get("memory"):
        found.append(("Memory and start", memory(figures["memory"])))
    return found


def machine() -> str:
    """Where and with what it was measured."""
    first = lambda *command: subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip().split("\n")[0]
    cpu = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text())
    os_name = re.search(r'PRETTY_NAME="(.*)"', Path("/etc/os-release").read_text())
    cores = len(re.findall(r"^processor", Path("/proc/cpuinfo").read_text(), re.MULTILINE))
    import sqlite3
    return (
        f"{cpu.group(1) if cpu else 'unknown processor'}, {cores} cores, {os_name.group(1) if os_name else platform.system()}, "
        f"{first('swift', '--version')}, {first('openssl', 'version')}, SQLite {sqlite3.sqlite_version}, Python "
        f"{platform.python_version()}.")


def written(figures: dict, command: str) -> str:
    """The generated part."""
    parts = "\n\n".join(f"### {title}\n\n{text}" for title, text in sections(figures))
    return (
        f"{BEGIN}\n\n## One run\n\n{time.strftime('%Y-%m-%d %H:%M')} UTC, commit `{figures['commit']}`, `{command}`, in "
        f"{figures['minutes']:.0f} minutes; load average before {figures['load']}. {machine()} {figures['how']} How each is measured, and "
        f"why so: [decision 0032](decisions/0032-measuring.md).\n\n{parts}\n\n{END}\n")


def write(path: Path, figures: dict, command: str) -> None:
    """Replaces the generated part, and nothing else."""
    text = path.read_text()
    begin, end = text.find(BEGIN), text.find(END)
    part = written(figures, command)
    if begin < 0 or end < begin:
        text = text.rstrip("\n") + "\n\n" + part
    else:
        text = text[:begin] + part.rstrip("\n") + text[end + len(END):]
    path.write_text(text)
