"""`POST /v1/decisions`: a dry-run of one offer, and of all offers of the catalog."""

import wrk
from service import Service
from settings import Settings

QUESTIONS = {"one offer": '"offerIds":["comeback"]', "every offer of the catalog": '"signals":{}'}


def measure(settings: Settings, base: Service) -> list[dict]:
    """One row for each question and number of connections; nothing is written, so customers may be asked about again."""
    rows = []
    work = settings.work(base)
    work.start()
    try:
        for name, extra in QUESTIONS.items():
            for connections in settings.connections:
                settings.say(f"decisions: {name}, {connections} connections")
                rows.append({
                    "question": name, "connections": connections,
                    **asked(work, settings, extra, connections, settings.customers)})
    finally:
        work.stop()
        settings.clean("work")
    return rows


def asked(service: Service, settings: Settings, extra: str, connections: int, customers: int) -> dict:
    """The medians of several runs after one that is not counted."""
    runs = [
        wrk.require_answers(
            service.load_with_wrk(
                "/v1/decisions", extra, 0, customers, connections, settings.seconds if number else 1),
            f"decisions, {connections} connections")
        for number in range(settings.runs + 1)
    ]
    return wrk.medians(runs[1:])
