"""A person at the console: what is expected, what the browser complains of, and the parts of a page by their role and label."""

import contextlib
import pathlib
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page

faults: list[str] = []
# A page answers in milliseconds; a part that is missing is to be reported soon.
PATIENCE = 10_000


def expect(is_right: bool, fault: str) -> None:
    if not is_right:
        faults.append(fault)


def expect_equal(what: str, shown: object, wanted: object) -> None:
    expect(shown == wanted, f"{what}: `{shown}` is shown instead of `{wanted}`")


def expect_words(what: str, shown: str, *wanted: str) -> None:
    """Each of the words is there."""
    text = plain(shown)
    for words in wanted:
        expect(plain(words) in text, f"{what}: `{plain(words)}` is not in `{text[:300]}`")


def plain(text: str) -> str:
    """White space as one space, and without the backticks of a quote, which a page may show as code."""
    return " ".join(text.replace("`", "").split())


class Person:
    """One with a browser of their own. What it complains of is a fault, as is a request to another host."""

    def __init__(self, name: str, context: BrowserContext, url: str) -> None:
        self.name = name
        self.url = url
        self.context = context
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self._refusals: list[tuple[int, str]] = []
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: faults.append(f"{name}: an error in a script: {error}"))
        self.page.on("request", self._asked)
        self.page.on("response", self._answered)

    def _note(self, message) -> None:
        # A refusal is noted with its status by `_answered`.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            faults.append(f"{self.name}: the browser logged: {message.text}")

    def _asked(self, request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme != "data" and f"{parts.scheme}://{parts.netloc}" != self.url:
            faults.append(f"{self.name}: a request to {request.url}")

    def _answered(self, response) -> None:
        if response.status >= 400:
            self._refusals.append((response.status, response.url.removeprefix(self.url)))

    def expect_refusal(self, status: int) -> None:
        """The last page was refused, and nothing else since the last call."""
        expect(
            [code for code, _ in self._refusals] == [status],
            f"{self.name}: {self.path} is to be refused with {status}, and these were refused: {self._refusals}")
        self._refusals = []

    def close(self) -> None:
        for status, path in self._refusals:
            faults.append(f"{self.name}: {path} was refused with {status}")
        self.context.close()

    @property
    def path(self) -> str:
        return self.page.url.removeprefix(self.url).partition("#")[0]

    def expect_path(self, what: str, path: str) -> None:
        expect_equal(f"{self.name}: {what} leads to", self.path, path)

    def go(self, path: str) -> None:
        self.page.goto(self.url + path)

    def sign_in(self, token: str, start: str, called: str = "anna") -> None:
        self.go(start)
        self.page.get_by_label("API key").fill(token)
        self.page.get_by_label("Your name").fill(called)
        self.press("Sign in")

    def press(self, button: str, within: Locator | None = None) -> None:
        """Presses a button that leads to a page."""
        with self.page.expect_navigation():
            (within or self.page).get_by_role("button", name=button, exact=True).click()

    def follow(self, link: str, within: Locator | None = None) -> None:
        with self.page.expect_navigation():
            (within or self.page).get_by_role("link", name=link, exact=True).first.click()

    def search(self, text: str) -> None:
        field = self.page.get_by_role("searchbox").first
        field.fill(text)
        with self.page.expect_navigation():
            field.press("Enter")

    def look_up(self, text: str) -> None:
        self.go("/console/customers")
        self.search(text)

    def region(self, name: str) -> Locator:
        """A part of the page whose heading begins with this name."""
        return self.page.get_by_role("region", name=re.compile(f"^{re.escape(name)}"))

    def card(self, offer: str) -> Locator:
        """The answer on one offer, on a page with the answers of several."""
        heading = self.page.get_by_role("heading", name=re.compile(rf"(^|\s){re.escape(offer)}(\s|$)"))
        return self.page.get_by_role("article").filter(has=heading)

    def told(self, term: str, within: Locator | None = None) -> str:
        """What a list of terms says of one."""
        return plain((within or self.page.get_by_role("main")).locator(f"dt:text-is('{term}') + dd").first.inner_text())

    def heading(self) -> str:
        return plain(self.page.get_by_role("heading", level=1).inner_text())

    def alert(self) -> str:
        return plain(self.page.get_by_role("alert").first.inner_text())

    def status(self) -> str:
        return plain(self.page.get_by_role("status").first.inner_text())

    def table(self, caption: str) -> list[dict[str, str]]:
        """The rows of the table with this caption, by the names of its columns."""
        table = self.page.get_by_role("table", name=caption)
        columns = table.get_by_role("columnheader").all_inner_texts()
        # The first row is the columns'.
        rows = [row.get_by_role("cell").all_inner_texts() for row in table.get_by_role("row").all()[1:]]
        return [dict(zip(columns, row)) for row in rows]


@contextlib.contextmanager
def person(browser: Browser, name: str, url: str, **options) -> Iterator[Person]:
    """A browser without JavaScript, unless the options say otherwise."""
    options = {"java_script_enabled": False, "viewport": {"width": 1440, "height": 900}} | options
    someone = Person(name, browser.new_context(**options), url)
    yield someone
    someone.close()


def journey(name: str, walk, someone: Person, pictures: pathlib.Path) -> None:
    """Walks one journey. One that cannot go on is a fault, and leaves a picture of the page where it ended."""
    before = len(faults)
    try:
        walk()
    except (Error, LookupError, ValueError, RuntimeError) as error:
        # Playwright says in the line below which element it waited for.
        lines = [line.strip() for line in str(error).splitlines() if line.strip() and "Call log" not in line]
        faults.append(f"{name}: cannot go on at {someone.path}: {' '.join(lines[:2])}")
    if len(faults) > before:
        with contextlib.suppress(Error):
            someone.page.screenshot(path=pictures / f"failed-{name.replace(' ', '-')}.png", full_page=True)
