#!/usr/bin/env python3
"""The processor time of one request of the worst kinds, for docs/threat-model.md.

    Benchmarks/Service/worst_cost.py .build/release/offerd FOLDER [--only ROLE] [--each N]

Each body of costly.py is sent N times (20) on one connection to a server that does nothing else, and the processor time of all its
threads is read before and after. It prints the worst of each call and role, and every one above a bound, as rows of Markdown.
"""

import argparse
import http.client
import sys
from pathlib import Path

from costly import bodies
from service import HERE, Service

BOUNDS = {"": 5.0, "app": 5.0, "client": 50.0, "support": 50.0, "marketing": 50.0}


def processor_milliseconds(pid: int) -> float:
    """Of all threads, from the scheduler's own count in nanoseconds."""
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e6


def cost(service: Service, role: str, method: str, path: str, body: bytes, times: int) -> tuple[float, int]:
    host, port = service.url.removeprefix("http://").split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    headers = {"Content-Type": "application/json"}
    if path.startswith("/v1/catalog"):
        headers = {"Content-Type": "application/yaml", "If-Match": '"1"'}
    if role:
        headers["Authorization"] = "Bearer " + service.token(role)

    def ask() -> int:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        answer.read()
        return answer.status

    ask()
    before = processor_milliseconds(service.process.pid)
    status = 0
    for _ in range(times):
        status = ask()
    spent = processor_milliseconds(service.process.pid) - before
    connection.close()
    return spent / times, status


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("offerd", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only")
    parser.add_argument("--each", type=int, default=20)
    arguments = parser.parse_args()
    service = Service(arguments.offerd.resolve(), arguments.folder.resolve())
    service.prepare(root=[sys.executable, str(HERE / "chain.py"), "root"])
    service.start()
    worst: dict[tuple[str, str, str], tuple[float, str, int]] = {}
    over = []
    try:
        for role, method, path, name, body in bodies(service.folder):
            if arguments.only is not None and role != arguments.only:
                continue
            spent, status = cost(service, role, method, path, body, arguments.each)
            if spent > worst.get((role, method, path), (0.0, "", 0))[0]:
                worst[role, method, path] = (spent, name, status)
            if spent > BOUNDS[role]:
                over.append((role, path, name, len(body), spent, status))
    finally:
        service.stop()
    print("| call | key | worst body | answer | processor time |\n| --- | --- | --- | --- | --- |")
    for (role, method, path), (spent, name, status) in worst.items():
        print(f"| `{method} {path}` | {role or '–'} | {name} | {status} | {spent:.1f} ms |")
    for role, path, name, length, spent, status in over:
        print(f"above {BOUNDS[role]:.0f} ms: {role or 'no key'}, {path}, {name}, {length} bytes: {spent:.1f} ms, {status}")


if __name__ == "__main__":
    main()
