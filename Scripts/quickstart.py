"""Follows a quickstart to the letter: types its commands into a Debian and compares what they print. Called by Scripts/quickstarts.

usage: quickstart.py STATE RESULT PAGE=DEBIAN…

Follows the pages in order, each in its own Debian. In a page, every line after `$ ` in a ```console block is typed, and the lines
below it have to be printed, but for ids, times, tokens and signatures; `…` is for any lines, for the other members of an
object, or for the rest of a list. Every command has to succeed, each of a pipe too. A ```yaml block after `<!-- file: NAME -->` is a file
that the reader saves. These comments mark what only this script knows:

  <!-- stand-in: NAME -->   what a machine without a name, an Apple Account and an app cannot do is played (StandIns)
  <!-- input: TEXT -->      what a person types at the first command of the next block
  <!-- status: NUMBER -->   the exit status of the first command of the next block, where it is not 0
  <!-- on: PAGE -->         the next block is typed in the Debian of that page, such as by an operator, and is not counted

The signatures of every offer in an output are verified with openssl. Writes a line to RESULT for each page: its name, the commands
and seconds up to the first signed offer, those of the whole page, the offers verified.
"""

import json
import os
import pathlib
import re
import select
import subprocess
import sys
import time

import verify_signatures

LONGEST = 180  # seconds for a command
HOST = "offers.example.com"
ADDRESS = "203.0.113.10"
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
TOKEN = re.compile(r"offerd_[A-Za-z0-9_-]{16,}")
# Names of what differs from run to run; the order matters.
VARIABLE = [
    (re.compile(r"offerd_[a-z]+(_[a-z]+)*_(…|[A-Za-z0-9_-]{16,})"), "<token>"),
    (re.compile(r"eyJ[\w.-]{20,}…?|eyJ…"), "<jws>"),
    (re.compile(r"ME[A-Z][\w+/=]{20,}…?"), "<signature>"),
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?( UTC|Z)"), "<moment>"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "<day>"),
    (re.compile(r"\((in )?[^()]*(second|minute|hour|day)s?( ago)?\)"), "<span>"),
    (re.compile(r"\b[0-9a-f]{16}\b"), "<key>"),
    (re.compile(r" {2,}"), " "),
]


class Fault(Exception):
    """The page does not say what happens."""


def parsed(page: pathlib.Path):
    """The page as ("command", line, (where, input, status), text, output), ("file", line, "", name, text) and
    ("stand-in", line, "", name, "")."""
    items, fence, file, where, typed, status = [], None, None, None, "", 0
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        if fence is not None and line == "```":
            fence = file = where = None
        elif fence == "console":
            last = items[-1] if items else None
            if line.startswith("$ "):
                items.append(["command", number, (where, typed, status), line[2:], None])
                typed, status = "", 0
            elif last and last[4] is None and (last[3].endswith("\\") or last[3].count("'") % 2):
                last[3] += "\n" + line
            else:
                last[4] = (last[4] or "") + line + "\n"
        elif fence == "yaml" and file:
            items[-1][4] += line + "\n"
        elif fence is None and line.startswith("```"):
            fence = line[3:]
            if fence == "yaml" and file:
                items.append(["file", number, "", file, ""])
        elif fence is None and (mark := re.fullmatch(r"<!-- (stand-in|on|file|input|status): (.+) -->", line)):
            if mark[1] == "stand-in":
                items.append(["stand-in", number, "", mark[2], ""])
            elif mark[1] == "on":
                where = mark[2]
            elif mark[1] == "input":
                typed = mark[2]
            elif mark[1] == "status":
                status = int(mark[2])
            else:
                file = mark[2]
    return items


class Shell:
    """The shell of a person in a Debian; it remembers variables and folders."""

    def __init__(self, debian: pathlib.Path):
        self.debian = debian
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8",
                       "USER": "root", "TERM": "dumb"}
        self.process = subprocess.Popen(
            ["chroot", debian, "bash", "--noprofile", "--norc", "-o", "pipefail"], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.run("cd")

    def run(self, command: str, typed: str = ""):
        """What the command prints, and its status."""
        (self.debian / "root/.typed").write_text(typed and typed + "\n", encoding="utf-8")
        # The end mark is a byte that no program prints.
        self.process.stdin.write(f"{{ {command}\n}} </root/.typed\nprintf '\\036%d\\036' $?\n".encode())
        self.process.stdin.flush()
        found, deadline = b"", time.monotonic() + LONGEST
        while found.count(b"\x1e") < 2:
            if not select.select([self.process.stdout], [], [], max(0, deadline - time.monotonic()))[0]:
                raise Fault(f"no end after {LONGEST} s: {found.decode(errors='replace')}")
            if not (part := os.read(self.process.stdout.fileno(), 65536)):
                raise Fault(f"the shell ended: {found.decode(errors='replace')}")
            found += part
        output, status, _ = found.decode(errors="replace").split("\x1e")
        return output, int(status)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Text:
    """Compares a page with what is printed, and puts this run's ids and tokens where the page has its own."""

    # Of all pages: a server's keys are used at a desk.
    tokens = []

    def __init__(self):
        self.ids = {}

    def current(self, command):
        """The command with this run's ids, and tokens instead of such as `offerd_client_…`."""
        for old, new in self.ids.items():
            command = command.replace(old, new)

        def token(mark):
            known = [token for token in self.tokens if token.startswith(mark[1])]
            if not known:
                raise Fault(f"no token `{mark[0]}` was printed")
            return known[-1]

        return re.sub(r"(offerd_[a-z_]*)…", token, command)

    def differences(self, shown, printed):
        try:
            return self.members(json.loads(shown), json.loads(printed), "$")
        except json.JSONDecodeError:
            pass
        # A page says once where `offerctl` works, not at each command.
        printed = re.sub(r"(?m)^com\.example\.pro in LocalTesting\n", "", printed)
        shown, printed = (text.rstrip("\n").split("\n") for text in (shown, printed))
        if "…" not in shown:
            return self.lines(shown, printed)
        gap = shown.index("…")
        rest = len(shown) - gap - 1
        if len(printed) < gap + rest:
            return ["too few lines:", *printed]
        return self.lines(shown[:gap], printed[:gap]) + self.lines(shown[gap + 1:], printed[len(printed) - rest:])

    def lines(self, shown, printed):
        if len(shown) != len(printed):
            return [f"{len(shown)} lines are shown and {len(printed)} printed:", *printed]
        return [fault for pair in zip(shown, printed) for fault in self.words(*pair, "the line")]

    def members(self, shown, printed, place):
        if isinstance(shown, dict) and isinstance(printed, dict):
            names = set(shown) - {"…"} | (set() if "…" in shown else set(printed))
            if alone := sorted(name for name in names if name not in shown or name not in printed):
                return [f"{place} differs in {', '.join(alone)}"]
            return [fault for name in sorted(names) for fault in self.members(shown[name], printed[name], f"{place}.{name}")]
        if isinstance(shown, list) and isinstance(printed, list):
            if shown[-1:] == ["…"]:
                shown, printed = shown[:-1], printed[:len(shown) - 1]
            if len(shown) != len(printed):
                return [f"{place} has {len(printed)} entries"]
            return [fault for pair in zip(shown, printed) for fault in self.members(*pair, f"{place}[]")]
        if isinstance(shown, str) and isinstance(printed, str):
            return self.words(shown, printed, place)
        are_moments = all(isinstance(value, int) and value > 1_000_000_000_000 for value in (shown, printed))
        return [] if are_moments or shown == printed else [f"{place}: {shown} is shown, {printed} printed"]

    def words(self, shown, printed, place):
        def fixed(text):
            # The customers of Examples/scenarios have ids of few digits.
            for number in (number for number in ID.findall(text) if len(set(number)) > 5):
                text = text.replace(number, "<id>")
            for pattern, name in VARIABLE:
                text = pattern.sub(name, text)
            return text.strip()

        if fixed(shown) != fixed(printed):
            return [f"{place}: `{shown}` is shown, `{printed}` printed"]
        self.ids.update(zip(ID.findall(shown), ID.findall(printed)))
        return []


class StandIns:
    """Plays what the page cannot do here, by the name in its comment."""

    def __init__(self, state: pathlib.Path):
        self.state = state

    def name(self, run):
        """DNS."""
        with open(run.shell.debian / "etc/hosts", "a", encoding="utf-8") as hosts:
            hosts.write(f"{ADDRESS} {HOST}\n")

    def trust(self, run):
        """The trust of every machine in Let's Encrypt: in this run's certificate authority."""
        authority = run.shell.debian / "usr/local/share/ca-certificates/stand-in.crt"
        authority.write_bytes((self.state / "authority.pem").read_bytes())
        run.played("update-ca-certificates")

    def certificate(self, run):
        """Let's Encrypt: the first site of the Caddyfile gets a certificate of this run's authority."""
        self.trust(run)
        for name in ("site.pem", "site.key"):
            target = run.shell.debian / "etc/caddy" / name
            target.write_bytes((self.state / name).read_bytes())
            target.chmod(0o644)
        file = run.shell.debian / "etc/caddy/Caddyfile"
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(f"\n{HOST} {{\n", f"\n{HOST} {{\n\ttls /etc/caddy/site.pem /etc/caddy/site.key\n", 1), encoding="utf-8")

    def acme(self, run):
        """certbot: the certificate where it puts one."""
        self.name(run)
        self.trust(run)
        folder = run.shell.debian / "etc/letsencrypt/live" / HOST
        folder.mkdir(parents=True)
        for name, source in [("fullchain.pem", "site.pem"), ("privkey.pem", "site.key")]:
            (folder / name).write_bytes((self.state / source).read_bytes())

    def key(self, run):
        """App Store Connect: the In-App Purchase key, downloaded."""
        run.played("openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ~/SubscriptionKey_2X9R4HXF34.p8")


class Page:
    """One page, followed in its Debian."""

    def __init__(self, name, shell, others, stand_ins, root):
        self.name, self.shell, self.others, self.stand_ins, self.root = name, shell, others, stand_ins, root
        self.text = Text()
        self.count, self.verified, self.first, self.started = 0, 0, None, None

    def played(self, command):
        output, status = self.shell.run(command)
        if status:
            raise Fault(f"`{command}`: {output}")
        return output

    def follow(self):
        path = f"docs/quickstart-{self.name}.md"
        for kind, line, where, text, output in parsed(self.root / path):
            try:
                if kind == "stand-in":
                    print(f"{self.name}: played: {text}", flush=True)
                    getattr(self.stand_ins, text)(self)
                elif kind == "file":
                    (self.shell.debian / text.lstrip("/") if text.startswith("/") else self.shell.debian / "root" / text).write_text(
                        output, encoding="utf-8")
                else:
                    self.type(text, output, *where)
            except Fault as fault:
                raise Fault(f"{path}:{line}: {fault}") from None
        seconds = time.monotonic() - self.started
        self.first = self.first or ("–", "–")
        return [self.name, *self.first, self.count, f"{seconds:.1f}", self.verified]

    def type(self, command, shown, where, typed, expected):
        shell = self.others[where].shell if where else self.shell
        self.started = self.started or time.monotonic()
        before = time.monotonic()
        printed, status = shell.run(self.text.current(command), self.text.current(typed))
        if not where:
            self.count += 1
        print(f"{self.name}: {where or self.count:>3}  {time.monotonic() - before:5.1f} s  $ {command.splitlines()[0][:100]}", flush=True)
        Text.tokens += TOKEN.findall(printed)
        with open(self.stand_ins.state / f"{self.name}.txt", "a", encoding="utf-8") as transcript:
            transcript.write(f"$ {command}\n{printed}")
        if status != expected:
            raise Fault(f"status {status}: {printed}")
        if shown is not None and (faults := self.text.differences(shown, printed)):
            raise Fault("\n".join(faults))
        self.verify(printed, shell.debian)

    def verify(self, printed, debian):
        try:
            answer = json.loads(printed)
        except json.JSONDecodeError:
            return
        if not (isinstance(answer, dict) and answer.get("signatures")):
            return
        seconds = time.monotonic() - self.started
        private = next((debian / "etc/offerd/keys").glob(f"*{answer['keyId']}.p8"), None)
        if not private:
            raise Fault(f"there is no key `{answer['keyId']}`")
        public = self.stand_ins.state / "public.pem"
        subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
        results = verify_signatures.check(str(public), answer)
        if not results or not all(valid for _, valid, _ in results):
            raise Fault(f"a signature is not valid: {results}")
        self.verified += 1
        self.first = self.first or (self.count, f"{seconds:.1f}")
        print(f"{self.name}: {', '.join(name + detail for name, _, detail in results)}: verified by openssl", flush=True)


def main() -> int:
    state, result = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    root = pathlib.Path(__file__).resolve().parent.parent
    pages = {}
    try:
        for argument in sys.argv[3:]:
            name, debian = argument.split("=", 1)
            page = Page(name, Shell(pathlib.Path(debian)), pages, StandIns(state), root)
            pages[name] = page
            row = page.follow()
            with open(result, "a", encoding="utf-8") as file:
                file.write("\t".join(str(value) for value in row) + "\n")
    except Fault as fault:
        print(f"error: {fault}", file=sys.stderr)
        return 1
    finally:
        for page in pages.values():
            page.shell.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
