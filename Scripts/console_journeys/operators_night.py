"""An operator is woken: is the server well, do the webhook and the keys work, and is there a copy of the database?

By a key of the role `admin`, at the width of a telephone, without JavaScript.
"""

import contextlib
import datetime
import os
import pathlib
import signal
import sqlite3
import time
from collections.abc import Callable, Iterator

from playwright.sync_api import Browser

from browser import Person, expect, expect_equal, expect_words, journey, person, plain
from service import Customer, Service
from support_tickets import COMEBACK, gone

PAGE = "/console/operations"
# The server tries a webhook that failed again after 5, 10 and 20 seconds.
PATIENCE = 60


def spend_night(browser: Browser, service: Service, server: int, pictures: pathlib.Path) -> None:
    with person(browser, "night", service.url, viewport={"width": 360, "height": 900}) as night:
        def walk() -> None:
            night.sign_in(service.tokens["admin"], "/console/customers", called="ops")
            night.follow("Operations")
            night.expect_path("the navigation", PAGE)
            look(night, service)
            failing_webhook(night, service)
            api_keys(night, service, browser)
            backup(night, service)
            reload(night, service, server)
            not_ready(night, service)

        journey("night", walk, night, pictures)


def wait_until(night: Person, what: str, is_so: Callable[[], bool]) -> None:
    """Looks at the page again until it is so."""
    end = time.monotonic() + PATIENCE
    night.go(PAGE)
    while not is_so():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}: not so after {PATIENCE} s")
        # Not a wait for the server's state, which the loop asks for: looking is not to keep it busy.
        night.page.wait_for_timeout(200)
        night.go(PAGE)


def look(night: Person, service: Service) -> None:
    server = night.region("Server")
    expect_equal("the server", server.get_by_role("heading", level=2).locator(".badge").inner_text(), "ready")
    shown = server.locator("dt:text-is('Clock') + dd time").get_attribute("datetime")
    clock = datetime.datetime.fromisoformat(shown.replace("Z", "+00:00"))
    behind = abs((datetime.datetime.now(datetime.UTC) - clock).total_seconds())
    expect(behind < 60, f"the page's clock `{shown}` differs by {behind} s")
    for term, words in (("Last recorded", "ago"), ("Last reload", "none since the start"), ("Last backup", "never"),
                        ("Last proof of the ledger", "never"), ("Disk", "left")):
        expect_words(term, night.told(term, server), words)
    expect_words("the retention of signatures", night.told("signatures", server), "day")
    keys = night.region("Signing keys").get_by_role("listitem").all_inner_texts()
    expect_equal("the signing keys", [plain(key) for key in keys], ["LOCALTEST1 works"])
    expect_words("the pauses", night.region("Pauses").inner_text(), "No offer is paused.")
    content = night.page.content()
    for role, token in service.tokens.items():
        expect(token.rsplit("_", 1)[1] not in content, f"the secret of the API key of the role {role} is on the page")


def webhook(night: Person) -> str:
    return plain(night.region("Webhooks").get_by_role("listitem").first.inner_text())


def failing_webhook(night: Person, service: Service) -> None:
    """The receiver answers 503. Once it is repaired, what waits is sent, and an event can be sent again."""
    customer = Customer(301, *gone(50))
    service.load(customer)
    with service.webhook_down():
        issued = service.order(COMEBACK, {"appAccountToken": customer.account})["issuedOfferId"]
        wait_until(night, "the webhook fails", lambda: "takes no events" in webhook(night))
        expect_words("the failing webhook", webhook(night), "less than a minute ago", "status 503", "next try")
        night.press("Send a test event")
        expect_words("a test event that fails", night.status(), "the receiver answered with status 503")
    night.press("Send a test event")
    expect_words("a test event after the repair", night.status(), "the receiver accepted the event")
    tests = [line for line in service.received() if line["event"]["type"].endswith(".test")]
    expect_equal("test events at the receiver", len(tests), 1)

    def arrived() -> list[dict]:
        return [line for line in service.received() if line["event"].get("data", {}).get("issuedOfferId") == issued]

    wait_until(night, "what waits is sent", lambda: bool(arrived()) and "takes no events" not in webhook(night))
    expect_words("the repaired webhook", webhook(night), "last took an event")
    event, before = arrived()[0]["id"], len(arrived())
    night.page.get_by_label("ID of an event").fill(event)
    night.press("Send the event again")
    expect_equal("the event again", night.status(), "Webhooks that get the event again: 1")
    wait_until(night, "the event arrives again", lambda: len(arrived()) > before)
    expect_equal("the ids of both", {line["id"] for line in arrived()}, {event})
    for unknown in ("nonsense", "01a22790-0000-7000-8000-000000000000"):
        night.page.get_by_label("ID of an event").fill(unknown)
        night.press("Send the event again")
        night.expect_refusal(404)
        expect_words("an unknown event", night.alert(), unknown)


def api_keys(night: Person, service: Service, browser: Browser) -> None:
    """A key that leaked is revoked, and who is signed in with it is out at once."""
    token = service.offerd("api-keys", "create", "--app", "com.example.pro", "--environment", "LocalTesting", "--role", "support",
                           "--label", "night shift", "--valid-for", "P7D").strip()

    def shown() -> str:
        night.go(PAGE)
        return plain(night.region("API keys").get_by_role("listitem").filter(has_text="night shift").inner_text())

    expect_words("the new key", shown(), "support", "active", "last used never, expires", "(in 6 days)")
    with person(browser, "night, who has the key", service.url) as thief:
        thief.sign_in(token, "/console/customers", called="")
        thief.expect_path("signing in", "/console/customers")
        service.offerd("api-keys", "revoke", token)
        thief.go("/console/customers")
        expect(thief.path.startswith("/console/sign-in"), f"with a revoked key, {thief.path} is shown")
    expect_words("the revoked key", shown(), "revoked")
    roles = night.region("API keys").get_by_role("listitem").all_inner_texts()
    for role in service.tokens:
        expect(any(f" {role} " in plain(key) for key in roles), f"no API key of the role {role} is shown")


def backup(night: Person, service: Service) -> None:
    service.offerd("backup", "--out", "night.sqlite")
    service.offerd("verify-ledger")
    night.go(PAGE)
    for term in ("Last backup", "Last proof of the ledger"):
        expect_words(term, night.told(term), "less than a minute ago")


def reload(night: Person, service: Service, server: int) -> None:
    """A typo in the configuration changes nothing, and the page says what is wrong."""
    path = service.installation / "offerd.yaml"
    right = path.read_text()
    path.write_text(right + "retension: {}\n")
    os.kill(server, signal.SIGHUP)
    wait_until(night, "the reload is refused", lambda: "refused" in night.told("Last reload"))
    expect_words("the refused reload", night.region("Server").get_by_role("alert").first.inner_text(), "retension", "retention")
    path.write_text(right)
    os.kill(server, signal.SIGHUP)
    wait_until(night, "the reload works", lambda: "refused" not in night.told("Last reload"))
    expect_words("the reload", night.told("Last reload"), "less than a minute")


@contextlib.contextmanager
def held(database: pathlib.Path) -> Iterator[None]:
    """Another program has an open transaction, as a forgotten shell would."""
    connection = sqlite3.connect(database, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
    finally:
        connection.close()


def not_ready(night: Person, service: Service) -> None:
    """The page still opens while nothing can be recorded, and names the reason of `/readyz`."""
    def badge() -> str:
        return night.region("Server").get_by_role("heading", level=2).locator(".badge").inner_text()

    with held(service.installation / "offers.sqlite"):
        wait_until(night, "the server is not ready", lambda: badge() == "not ready")
        # Which of the two depends on what was being recorded when the other program began.
        reasons = ("held by another program", "a commit was begun more than")
        expect(any(reason in night.alert() for reason in reasons), f"the reason for not being ready is `{night.alert()}`")
    wait_until(night, "the server is ready again", lambda: badge() == "ready")
