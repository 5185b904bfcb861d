#!/usr/bin/env python3
"""Answers support tickets, runs a campaign and asks an operator's questions at the console without JavaScript, then judges every page.


Run by Scripts/console. Exits 1 and names each fault if a page says something else than the journey needs, scrolls sideways, is
larger than 100 KB, breaks its Content-Security-Policy, asks another host, logs an error, or is not accessible by axe's rules.
"""

import argparse
import json
import os
import pathlib
import sys
from urllib.parse import quote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
WIDTHS = (360, 1440)
MOST_BYTES = 100_000
CAMPAIGN = """
  - id: hello-again
    type: promotional
    offerIdentifier: hello_again
    products: [com.example.pro.monthly]
    paymentMode: payAsYouGo
    period: P1M
    periodCount: 2
    price: { amount: "2.99", currency: USD }
    status: active
    eligibility: { fact: subscription.state, in: [expired] }
    limits:
      - { count: 1, per: customer }
      - { spend: "280.00", currency: USD }
"""

faults: list[str] = []


def expect(is_right: bool, fault: str) -> None:
    if not is_right:
        faults.append(fault)


def watch(page: Page, url: str, name: str) -> None:
    """Notes what a browser complains of, and every request that leaves the server."""

    def note(message) -> None:
        # A page that answers 404 or 403 is logged as an error too; the tickets ask for none.
        if message.type in ("error", "warning"):
            faults.append(f"{name}: the browser logged: {message.text}")

    page.on("console", note)
    page.on("pageerror", lambda error: faults.append(f"{name}: an error in a script: {error}"))

    def leaves(request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme != "data" and f"{parts.scheme}://{parts.netloc}" != url:
            faults.append(f"{name}: a request to {request.url}")

    page.on("request", leaves)


def sign_in(context: BrowserContext, url: str, token: str, name: str, start: str = "/console/customers") -> Page:
    page = context.new_page()
    watch(page, url, name)
    page.goto(f"{url}{start}")
    page.get_by_label("API key").fill(token)
    page.get_by_label("Your name").fill("anna")
    page.get_by_role("button", name="Sign in").click()
    expect(page.url == f"{url}{start}", f"{name}: signing in led to {page.url}")
    return page


def search(page: Page, text: str) -> None:
    field = page.locator("input[type=search]")
    field.fill(text)
    field.press("Enter")
    page.wait_for_load_state()


def answer_tickets(browser: Browser, url: str, token: str, customer: str, issued: str, refused: str) -> None:
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    page = sign_in(context, url, token, "tickets")

    # "My trial was refused."
    search(page, customer)
    card = page.locator("article", has_text="welcome-trial")
    expect(card.count() == 1, "the trial has no answer on the customer's page")
    expect(card.first.locator("h3 .badge").inner_text() == "no", "the trial's answer is not no")
    expect(card.first.locator("[lang=de]").inner_text() != "", "there is no sentence for a German customer")
    card.first.get_by_role("link", name="Every reason").click()
    expect(page.locator(".findings li.violated").count() > 0, "no reason is shown for the refused trial")

    # "The app got 403", with a decisionId.
    page.goto(f"{url}/console/customers")
    search(page, refused)
    expect(page.url == f"{url}/console/decisions/{refused}", f"the decisionId led to {page.url}")
    expect(page.get_by_text("welcome-trial").count() > 0, "the decision names no offer")

    # "The offer went to the wrong account": void it.
    page.goto(f"{url}/console/customers")
    search(page, issued)
    expect(page.url == f"{url}/console/issued-offers/{issued}", f"the issuedOfferId led to {page.url}")
    page.get_by_label("Reason").fill("wrong account, ticket 4711")
    page.get_by_role("button", name="Void").click()
    expect(page.locator("h1 .badge").inner_text() == "voided", "the offer is not void")
    expect(page.get_by_text("wrong account, ticket 4711").count() == 1, "the reason is not shown")

    page.get_by_role("button", name="Sign out").click()
    expect(page.url == f"{url}/console/sign-in", f"signing out led to {page.url}")
    page.goto(f"{url}/console/customers?q={quote(customer)}")
    expect("/console/sign-in" in page.url, "a page was shown after signing out")
    context.close()


def run_campaign(browser: Browser, url: str, token: str) -> str:
    """From the idea to the result. Returns the path of the audience that was counted."""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 1440, "height": 900})
    page = sign_in(context, url, token, "campaign", "/console/catalog")
    before = page.locator("#text").input_value()

    # The idea.
    page.locator("#text").fill(before + CAMPAIGN)
    page.get_by_role("button", name="Plan").click()
    expect(page.get_by_text("something is widened (+)").count() == 1, "the plan does not say that something is widened")
    page.get_by_label("Message").fill("hello again")
    page.get_by_label("All of this is intended").check()
    page.get_by_role("button", name="Apply").click()
    expect(page.url == f"{url}/console/catalog/revisions/2", f"applying the campaign led to {page.url}")
    expect(page.get_by_text("hello again").count() > 0, "the revision does not have its message")

    # Who gets it.
    page.goto(f"{url}/console/offers")
    page.get_by_role("link", name="hello-again").first.click()
    page.get_by_role("button", name="Count").click()
    page.get_by_text("customers would get `hello-again`").wait_for()
    audience = urlsplit(page.url).path

    # A mistake, and the result.
    page.goto(f"{url}/console/offers/hello-again")
    page.get_by_label("Reason").fill("wrong price")
    page.get_by_role("button", name="Pause").click()
    expect(page.locator("h1 .badge").inner_text() == "paused", "the offer is not paused")
    expect(page.get_by_text("wrong price").count() > 0, "the reason of the pause is not shown")
    page.get_by_role("button", name="Resume").click()
    expect(page.locator("h1 .badge").inner_text() == "running", "the offer is not resumed")
    page.get_by_role("link", name="Results").click()
    page.get_by_label("By", exact=True).select_option("week")
    page.get_by_role("button", name="Show").click()
    expect(page.locator("figure svg").count() > 0, "the results have no chart")
    expect(page.locator("td", has_text="total").count() > 0, "the results have no table")

    # The end.
    page.goto(f"{url}/console/catalog/revisions/1")
    page.get_by_role("button", name="Roll back").click()
    expect(page.url == f"{url}/console/catalog/revisions/3", f"rolling back led to {page.url}")
    page.goto(f"{url}/console/catalog")
    expect(page.locator("#text").input_value() == before, "the catalog is not the one before the campaign")
    context.close()
    return audience
def spend_night(browser: Browser, url: str, token: str, admin: str, event: str) -> None:
    """An operator is woken: is the server well, and do the webhooks and keys work?"""
    context = browser.new_context(java_script_enabled=False, viewport={"width": 360, "height": 900})
    page = sign_in(context, url, admin, "night")
    page.get_by_role("link", name="Operations").click()
    expect(page.url == f"{url}/console/operations", f"the navigation led to {page.url}")
    expect(page.locator("h2 .badge").inner_text() == "ready", "the server is not ready")

    def told(term: str) -> str:
        return page.locator(f"dt:text-is('{term}') + dd").inner_text()

    # The installation is minutes old: nothing has copied or proven it.
    for term, words in (("Last backup", "never"), ("Last proof of the ledger", "never"), ("Disk", "left"), ("Clock", "UTC")):
        expect(words in told(term), f"{term} says `{told(term)}`")
    expect(page.locator("section[aria-labelledby=keys] .badge.invalid").count() == 0, "a signing key fails")
    expect(page.locator("section[aria-labelledby=keys] .badge.valid").count() > 0, "no signing key is shown")
    keys = page.locator("section[aria-labelledby=api-keys] li")
    # Those of the other roles and this one, which was used just now.
    expect(keys.count() >= 5, f"{keys.count()} API keys are shown")
    for secret in (token, admin):
        expect(secret.rsplit("_", 1)[1] not in page.content(), "the secret of an API key is on the page")

    # Nothing listens where the webhook is.
    page.get_by_role("button", name="Send a test event").click()
    expect("was not delivered" in page.get_by_role("status").inner_text(), "the webhook's failure is not told")
    page.get_by_label("ID of an event").fill(event)
    page.get_by_role("button", name="Send the event again").click()
    expect(page.get_by_role("status").inner_text() == "Webhooks that get the event again: 1", "the event is not sent again")
    webhook = page.locator("section[aria-labelledby=webhooks] li").inner_text()
    expect("has taken no event yet" in webhook, f"the webhook's state is `{webhook}`")
    context.close()

    context = browser.new_context(java_script_enabled=False)
    page = sign_in(context, url, token, "night-support")
    expect(page.get_by_role("link", name="Operations").count() == 0, "support is shown the way to the operators' page")
    context.close()


def judge(page: Page, name: str, screenshots: pathlib.Path) -> None:
    page.screenshot(path=screenshots / f"{name}.png", full_page=True)
    over = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    expect(over <= 0, f"{name}: the page scrolls sideways by {over} pixels")
    for violation in Axe().run(page, options={"runOnly": RULES}).response["violations"]:
        places = ", ".join(node["html"][:120] for node in violation["nodes"][:3])
        faults.append(f"{name}: {violation['id']}: {violation['help']}: {places}")


def look(browser: Browser, url: str, token: str, start: str, pages: dict[str, str], screenshots: pathlib.Path) -> None:
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            context = browser.new_context(
                color_scheme=scheme, reduced_motion="reduce", viewport={"width": width, "height": 900})
            page = sign_in(context, url, token, f"{scheme}-{width}", start)
            for name, path in pages.items():
                answer = page.goto(url + path)
                size = len(answer.body())
                expect(size < MOST_BYTES, f"{name}: the page has {size} bytes")
                judge(page, f"{name}-{scheme}-{width}", screenshots)
            if "customer" in pages:
                page.goto(url + pages["customer"])
                page.locator("body").press("/")
                expect(page.evaluate("document.activeElement.type") == "search", "`/` does not go to the search")
                expect(page.locator("time").first.get_attribute("title") not in (None, ""), "no time has UTC beside the pointer")
                page.keyboard.press("Escape")
            context.close()


def look_at_sign_in(browser: Browser, url: str, screenshots: pathlib.Path) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 900})
    page = context.new_page()
    watch(page, url, "sign-in")
    page.goto(f"{url}/console/sign-in")
    judge(page, "sign-in", screenshots)
    context.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("url", "token", "marketing", "admin", "event", "customer", "issued", "refused", "screenshots", "chromium"):
        parser.add_argument(f"--{option}", required=True)
    options = parser.parse_args()
    token, marketing, admin = (
        pathlib.Path(path).read_text().strip() for path in (options.token, options.marketing, options.admin))
    issued = json.loads(pathlib.Path(options.issued).read_text())["issuedOfferId"]
    refused = json.loads(pathlib.Path(options.refused).read_text())["decisionId"]
    event = json.loads(pathlib.Path(options.event).read_text())["items"][0]["id"]
    customer = f"/console/customers?q={quote(options.customer)}"
    pages = {
        "home": "/console", "search": "/console/customers", "customer": customer,
        "reasons": f"{customer}&offer=welcome-trial", "past": f"{customer}&asOf=2026-01-01",
        "issued": f"/console/issued-offers/{issued}", "decision": f"/console/decisions/{refused}",
        "signatures": "/console/signatures",
    }
    with sync_playwright() as playwright:
        # Chromium's own sandbox cannot be used by root.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path=options.chromium, args=arguments)
        screenshots = pathlib.Path(options.screenshots)
        look(browser, options.url, token, "/console/customers", pages, screenshots)
        look_at_sign_in(browser, options.url, screenshots)
        campaign = {
            "offers": "/console/offers", "offer": "/console/offers/comeback-half-price",
            "results": "/console/offers/comeback-half-price/results", "audience": run_campaign(browser, options.url, marketing),
            "catalog": "/console/catalog", "revision": "/console/catalog/revisions/2",
        }
        look(browser, options.url, marketing, "/console/offers", campaign, screenshots)
        night = {"operations": "/console/operations"}
        look(browser, options.url, admin, "/console", night, screenshots)
        answer_tickets(browser, options.url, token, options.customer, issued, refused)
        spend_night(browser, options.url, token, admin, event)
        browser.close()
    for fault in faults:
        print(f"error: {fault}", file=sys.stderr)
    if not faults:
        pages = pages | campaign | night
        print(f"three tickets, a campaign, a night and {len(pages)} pages in {2 * len(WIDTHS)} forms: all as they should be")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
