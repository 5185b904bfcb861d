"""Drives the console in a browser. Run by Scripts/console, which starts the server; `--help` there says what is judged.

Exits 1 and names each fault.
"""

import argparse
import os
import pathlib
import sys

from playwright.sync_api import Browser, sync_playwright

import pages
import pictures
from browser import faults, journey, person
from marketing_campaign import run_campaign, type_campaign
from operators_night import spend_night
from service import Service
from support_tickets import TICKETS


def tickets(browser: Browser, service: Service, options: argparse.Namespace) -> str:
    for ticket in TICKETS:
        name = ticket.__name__.replace("_", " ")
        with person(browser, name, service.url) as desk:
            def answer_it() -> None:
                desk.sign_in(service.tokens["support"], "/console/customers")
                ticket(desk, service)

            journey(name, answer_it, desk, options.screenshots)
    return f"{len(TICKETS)} tickets"


def campaign(browser: Browser, service: Service, options: argparse.Namespace) -> str:
    run_campaign(browser, service, options.screenshots)
    type_campaign(browser, service, options.screenshots)
    return "a campaign"


def night(browser: Browser, service: Service, options: argparse.Namespace) -> str:
    spend_night(browser, service, options.server, options.screenshots)
    return "a night"


def every_page(browser: Browser, service: Service, options: argparse.Namespace) -> str:
    return pages.look_at_all(browser, service, options.screenshots)


def take_pictures(browser: Browser, service: Service, options: argparse.Namespace) -> str:
    return pictures.take_all(browser, service, options.screenshots)


# The pages come before what changes the catalog, and the night at the end: it holds the database and reloads the server.
PARTS = {"pages": every_page, "tickets": tickets, "campaign": campaign, "night": night, "pictures": take_pictures}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("url", "chromium"):
        parser.add_argument(f"--{option}", required=True)
    for option in ("folder", "programs", "screenshots"):
        parser.add_argument(f"--{option}", required=True, type=pathlib.Path)
    parser.add_argument("--server", required=True, type=int, help="the server's process")
    parser.add_argument("parts", nargs="+", choices=PARTS)
    options = parser.parse_args()
    for picture in options.screenshots.glob("failed-*.png"):
        picture.unlink()
    service = Service(options.url, options.folder, options.programs)
    done = []
    with sync_playwright() as playwright:
        # Chromium's own sandbox cannot be used by root.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=options.chromium, args=arguments)
        for name, part in PARTS.items():
            if name in options.parts:
                done.append(part(browser, service, options))
        browser.close()
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    if not faults:
        print(f"{', '.join(done)}: all as they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
