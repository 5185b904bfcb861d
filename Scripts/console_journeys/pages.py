"""Every page at 360 and 1440 pixels, light and dark, judged by axe and by its size, and how long the server takes for each."""

import http.client
import pathlib
import re
import statistics
import time
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser

from browser import Person, expect, faults, journey, person
from service import Customer, Service
from support_tickets import COMEBACK, gone

RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"]
SCHEMES = ("light", "dark")
WIDTHS = (360, 1440)
MOST_BYTES = 100_000
REQUESTS = 7


@dataclass
class PageToSee:
    name: str
    path: str
    role: str


def all_pages(browser: Browser, service: Service, customer: Customer, pictures: pathlib.Path) -> list[PageToSee]:
    """Needs an offer that was issued to the customer, and a refusal; both are made here."""
    named = {"appAccountToken": customer.account}
    issued = service.order(COMEBACK, named)["issuedOfferId"]
    refused = service.order("loyal-yearly", named, product="com.example.pro.yearly", wanted=403)["decisionId"]
    story = f"/console/customers?q={quote(customer.account)}"
    offer = f"/console/offers/{COMEBACK}"
    of_role = {
        "support": {
            "home": "/console", "search": "/console/customers", "customer": story, "reasons": f"{story}&offer=loyal-yearly",
            "past": f"{story}&asOf=2026-01-01", "issued": f"/console/issued-offers/{issued}",
            "decision": f"/console/decisions/{refused}", "signatures": "/console/signatures",
        },
        "marketing": {
            "offers": "/console/offers", "offer": offer, "results": f"{offer}/results", "all-results": "/console/results", "catalog": "/console/catalog",
            "audience": audience(browser, service, offer, pictures), "revision": "/console/catalog/revisions/1",
            "change": f"/console/catalog?offer={COMEBACK}",
        },
        "admin": {"operations": "/console/operations"},
    }
    return [PageToSee(name, path, role) for role, pages in of_role.items() for name, path in pages.items()]


def audience(browser: Browser, service: Service, offer: str, pictures: pathlib.Path) -> str:
    """The path of an audience that was counted."""
    with person(browser, "audience", service.url) as someone:
        def count() -> None:
            someone.sign_in(service.tokens["marketing"], offer)
            someone.press("Count")
            someone.page.get_by_text("would get").wait_for()

        journey("audience", count, someone, pictures)
        return someone.path


def look_at_all(browser: Browser, service: Service, pictures: pathlib.Path) -> str:
    customer = Customer(401, *gone(70))
    service.load(customer)
    seen = all_pages(browser, service, customer, pictures)
    cookies: dict[str, str] = {}
    for scheme in SCHEMES:
        for width in WIDTHS:
            form = {"java_script_enabled": True, "color_scheme": scheme, "reduced_motion": "reduce",
                    "viewport": {"width": width, "height": 900}}
            for role in dict.fromkeys(page.role for page in seen):
                with person(browser, f"{role} at {width}, {scheme}", service.url, **form) as visitor:
                    def look() -> None:
                        visitor.sign_in(service.tokens[role], "/console")
                        for page in seen:
                            if page.role == role:
                                look_at(visitor, page, f"{page.name}-{scheme}-{width}", pictures)
                        cookies[role] = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in visitor.context.cookies())

                    journey(f"{role} at {width} {scheme}", look, visitor, pictures)
            with person(browser, f"sign-in at {width}, {scheme}", service.url, **form) as visitor:
                look_at(visitor, PageToSee("sign-in", "/console/sign-in", ""), f"sign-in-{scheme}-{width}", pictures)
    print_times(service, seen, cookies)
    return f"{len(seen) + 1} pages in {len(SCHEMES) * len(WIDTHS)} forms"


def look_at(visitor: Person, page: PageToSee, name: str, pictures: pathlib.Path) -> None:
    size = len(visitor.page.goto(visitor.url + page.path).body())
    expect(size < MOST_BYTES, f"{page.name}: the page has {size} bytes")
    visitor.page.screenshot(path=pictures / f"{name}.png", full_page=True)
    over = visitor.page.evaluate("document.documentElement.scrollWidth - innerWidth")
    expect(over <= 0, f"{name}: the page scrolls sideways by {over} pixels")
    for violation in Axe().run(visitor.page, options={"runOnly": RULES}).response["violations"]:
        places = ", ".join(node["html"][:120] for node in violation["nodes"][:3])
        faults.append(f"{name}: {violation['id']}: {violation['help']}: {places}")
    if page.name == "customer":
        use_script(visitor)


def use_script(visitor: Person) -> None:
    """What a page does better with JavaScript."""
    visitor.page.locator("body").press("/")
    expect(visitor.page.evaluate("document.activeElement.type") == "search", "`/` does not go to the search")
    moment = visitor.page.locator("time").first
    title, shown = moment.get_attribute("title") or "", moment.inner_text()
    expect(re.fullmatch(r"\d{1,2} [A-Z][a-z]{2,3} \d{4}, \d\d:\d\d [A-Z]\S+", shown) is not None, f"a time is shown as `{shown}`")
    expect("UTC" in title, f"a time has `{title}` beside the pointer instead of UTC")
    visitor.page.keyboard.press("Escape")


def print_times(service: Service, seen: list[PageToSee], cookies: dict[str, str]) -> None:
    """The median of a few requests for each page, over one connection. For people to read: a slow machine is no fault."""
    connection = http.client.HTTPConnection(urlsplit(service.url).netloc, timeout=30)
    print(f"milliseconds that the server takes, median of {REQUESTS} requests, and kilobytes:")
    medians = []
    for page in seen:
        times, size = [], 0
        for _ in range(REQUESTS):
            begun = time.perf_counter()
            connection.request("GET", page.path, headers={"Cookie": cookies.get(page.role, "")})
            answer = connection.getresponse()
            size = len(answer.read())
            times.append((time.perf_counter() - begun) * 1_000)
            expect(answer.status == 200, f"{page.name}: a request outside of the browser is answered {answer.status}")
        medians.append(statistics.median(times))
        print(f"{medians[-1]:8.1f} {size / 1_000:8.1f}  {page.name}")
    print(f"{max(medians):8.1f} {'':8}  the slowest")
    connection.close()
