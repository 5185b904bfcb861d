"""How much memory offerd takes, and how soon it is ready, on a database of many issued offers."""

import statistics
import time

import wrk
from service import Service
from settings import Settings

ISSUED = 1_000_000
CONNECTIONS = 32
STARTS = 5
# Each signs anew, so that every request writes, whoever asked before.
FRESH = '"offerId":"comeback","formats":["v2"],"fresh":true'


def measure(settings: Settings, base: Service) -> dict:
    """Megabytes resident when idle, minute by minute under load, and afterwards; milliseconds until it is ready."""
    figures = {"idleSmall": idle(settings.work(base))}
    settings.clean("work")
    issued = 20_000 if settings.quick else ISSUED
    grown = settings.base("grown", issued=issued)
    figures.update(issued=issued, minutes=settings.minutes)
    work = settings.work(grown)
    if settings.quick is False:
        # Two databases of this size beside each other are more than is needed.
        settings.forget("grown")
    starts = []
    for _ in range(STARTS):
        work.start()
        starts.append(work.ready_milliseconds)
        work.stop()
    figures["ready"] = statistics.median(starts)
    work.start()
    try:
        time.sleep(2)
        figures["idle"] = work.resident_megabytes()
        figures.update(loaded(settings, work))
        figures["after"] = work.resident_megabytes()
    finally:
        work.stop()
        settings.clean("work")
    return figures


def idle(service: Service) -> float:
    service.start()
    try:
        time.sleep(2)
        return service.resident_megabytes()
    finally:
        service.stop()


def loaded(settings: Settings, service: Service) -> dict:
    """Memory after each part of the load; the halves after the first minute say whether it grows."""
    part = 2 if settings.quick else 10
    settings.say(f"memory: {settings.minutes:g} minutes of load")
    samples, requests, began = [], 0, time.monotonic()
    while time.monotonic() - began < settings.minutes * 60:
        run = wrk.require_answers(
            service.load_with_wrk("/v1/issued-offers", FRESH, 0, settings.customers, CONNECTIONS, part), "the load")
        requests += run["requests"]
        samples.append(service.resident_megabytes())
    settled = samples[len(samples) // 10:]
    half = max(1, len(settled) // 2)
    return {
        "samples": samples, "requests": requests, "most": max(samples),
        "firstHalf": statistics.mean(settled[:half]), "secondHalf": statistics.mean(settled[-half:]),
    }
