"""The pictures of docs/console.md, which `Scripts/console --docs` takes."""

import pathlib
from dataclasses import dataclass
from urllib.parse import quote

from playwright.sync_api import Browser

from browser import Person, expect, journey, person
from service import Service

MOST_BYTES = 200_000
# Examples/scenarios/year.yaml: the most eventful of the sample customers.
CUSTOMER = "/console/customers?q=" + quote("44444444-4444-4444-8444-444444444444")
OFFER = "comeback-half-price"


@dataclass
class Picture:
    name: str
    path: str
    role: str
    # What is at the top of the picture; the page's top if there is none.
    region: str | None = None
    scheme: str = "light"
    width: int = 1080
    height: int = 810


PICTURES = [
    Picture("customer", CUSTOMER, "support"),
    Picture("answers", CUSTOMER, "support", region="Offers", height=680),
    Picture("telephone", CUSTOMER, "support", region="Subscriptions", scheme="dark", width=360, height=740),
    Picture("offers", "/console/offers", "marketing", height=660),
    Picture("results", f"/console/offers/{OFFER}/results", "marketing", region="Each event by its own date"),
    Picture("catalog", "/console/catalog", "marketing"),
    Picture("operations", "/console/operations", "admin"),
]


def take_all(browser: Browser, service: Service, failed: pathlib.Path) -> str:
    """`failed` is the folder for the pages that could not be shown."""
    folder = pathlib.Path("docs/images")
    for picture in PICTURES:
        options = {"java_script_enabled": True, "color_scheme": picture.scheme, "reduced_motion": "reduce", "locale": "en-GB",
                   "timezone_id": "UTC", "viewport": {"width": picture.width, "height": picture.height}}
        with person(browser, picture.name, service.url, **options) as visitor:
            def take() -> None:
                visitor.sign_in(service.tokens[picture.role], "/console")
                visitor.go(picture.path)
                prepare(visitor, picture)
                path = folder / f"console-{picture.name}.png"
                visitor.page.screenshot(path=path)
                size = path.stat().st_size
                expect(size < MOST_BYTES, f"{path.name} has {size} bytes, {MOST_BYTES} at most")

            journey(picture.name, take, visitor, failed)
    return f"{len(PICTURES)} pictures in {folder}"


def prepare(visitor: Person, picture: Picture) -> None:
    """Brings the page into the state to be shown."""
    if picture.name == "catalog":
        field = visitor.page.get_by_label("The catalog as YAML")
        field.fill(field.input_value().replace('amount: "4.99"', 'amount: "3.99"'))
        visitor.press("Plan")
        plan = visitor.page.get_by_role("heading", name="Plan", exact=True)
        plan.evaluate("element => element.scrollIntoView({ block: 'center' })")
    if picture.name == "answers":
        visitor.card("welcome-trial").locator("summary").click()
    if picture.region:
        visitor.region(picture.region).evaluate("element => element.scrollIntoView()")
