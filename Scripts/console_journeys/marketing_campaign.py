"""A marketing campaign from the idea to the result, without JavaScript, by two keys of the role `marketing`.

Numbers on a page are compared with the API's answer for the same range.
"""

import datetime
import pathlib
import re
import zoneinfo

from playwright.sync_api import Browser, Locator

from browser import Person, expect, expect_equal, expect_words, journey, person
from service import Customer, Service
from support_tickets import gone

OFFER = "hello-again"
# With half the budget.
CAMPAIGN = "\n" + (pathlib.Path(__file__).parents[1] / "campaign.yaml").read_text().replace("560", "280")
LIKE_IT = 3


def run_campaign(browser: Browser, service: Service, pictures: pathlib.Path) -> None:
    for number in range(LIKE_IT):
        service.load(Customer(201 + number, *gone(50 + number)))
    with person(browser, "campaign", service.url) as anna:
        walks = [have_the_idea, count_the_audience, pause_by_mistake, read_the_results, pause_everything, end_sooner, edit_at_once, go_back]

        def walk() -> None:
            anna.sign_in(service.tokens["marketing"], "/console/catalog")
            state = {"before": text(anna), "base": in_force(service), "browser": browser}
            for part in walks:
                part(anna, service, state)

        journey("campaign", walk, anna, pictures)


def type_campaign(browser: Browser, service: Service, pictures: pathlib.Path) -> None:
    """With JavaScript: the form adds an offer to the text and changes it, and the plan follows the text while the focus stays in it."""
    with person(browser, "typing", service.url, java_script_enabled=True) as anna:

        def walk() -> None:
            anna.sign_in(service.tokens["marketing"], "/console/catalog")
            field = anna.page.get_by_label("The catalog as YAML")
            anna.page.get_by_label("Your name for it").fill("typed-offer")
            anna.page.get_by_label("Identifier in App Store Connect").fill("typed_offer")
            anna.page.get_by_label("Products; hold Ctrl").select_option("com.example.pro.monthly")
            anna.page.get_by_label("Price of a payment").fill("4.99")
            anna.press("Add to the text")
            expect_words("the text", field.input_value(), "- id: typed-offer", "typed_offer", "4.99")
            expect_words("the plan of what was added", editor(anna).inner_text(), "1 change to revision")
            added = field.input_value()
            before, _, offer = added.rpartition("- id: typed-offer")
            anna.page.get_by_label("Offer to change").select_option("typed-offer")
            anna.press("Fill in the form")
            expect_equal("the text after the form was filled", field.input_value(), added)
            expect_equal("the price in the form", anna.page.get_by_label("Price of a payment").input_value(), "4.99")
            anna.page.get_by_label("Price of a payment").fill("5.99")
            anna.press("Change the text")
            expect_equal("the text with the change", field.input_value(), f"{before}- id: typed-offer{offer.replace('4.99', '5.99', 1)}")
            expect_words("the plan of what was changed", editor(anna).inner_text(), "1 change to revision")
            field.press("Control+End")
            anna.page.keyboard.type("# and no more\nappSignals: [visits]\n")
            anna.page.get_by_text("2 changes to revision").wait_for()
            expect_equal("what has the focus", anna.page.evaluate("document.activeElement.id"), "text")
            anna.page.keyboard.type("appSignals: [again]\n")
            anna.page.get_by_role("main").get_by_text("the catalog has 1 error").wait_for()
            field.fill(field.input_value().replace("appSignals: [again]\n", ""))
            anna.page.get_by_text("2 changes to revision").wait_for()

        journey("typing", walk, anna, pictures)


def editor(person: Person) -> Locator:
    """The form with the catalog's text and its plan."""
    return person.page.locator("form").filter(has=person.page.get_by_label("The catalog as YAML"))


def text(person: Person) -> str:
    return person.page.get_by_label("The catalog as YAML").input_value()


def plan(person: Person, catalog: str) -> None:
    person.page.get_by_label("The catalog as YAML").fill(catalog)
    person.press("Plan", editor(person))


def apply(person: Person, message: str) -> None:
    editor(person).get_by_label("Message").fill(message)
    agreement = editor(person).get_by_label("All of this is intended")
    if agreement.count() > 0:
        agreement.check()
    person.press("Apply", editor(person))


def in_force(service: Service) -> int:
    return service.items("/v1/catalog/revisions", role="marketing")[0]["revision"]


def revision(state: dict, after: int) -> str:
    """The path of the n-th revision after the one that was in force at the beginning."""
    return f"/console/catalog/revisions/{state['base'] + after}"


def have_the_idea(anna: Person, service: Service, state: dict) -> None:
    """A typo is named with its line, a plan says what would change, and only what was agreed to is applied."""
    wrong = state["before"] + CAMPAIGN.replace("subscription.state", "subscription.staet")
    plan(anna, wrong)
    anna.expect_refusal(422)
    line = 1 + wrong[:wrong.index("staet")].count("\n")
    expect_words("the typo", anna.alert(), f"line {line}:", "unknown fact `subscription.staet`", "subscription.state")
    expect_equal("the text with the typo", text(anna), wrong.replace("\r\n", "\n"))

    plan(anna, state["before"] + CAMPAIGN)
    expect_words("the plan", editor(anna).inner_text(), f"1 change to revision {state['base']}; nothing was applied", OFFER,
                 "something is widened (+)")
    expect_equal("the revision in force after a plan", in_force(service), state["base"])
    editor(anna).get_by_label("Message").fill("hello again")
    # The browser holds the form back until the box is ticked.
    editor(anna).get_by_role("button", name="Apply", exact=True).click()
    expect_equal("the revision in force before the agreement", in_force(service), state["base"])
    apply(anna, "hello again")
    anna.expect_path("applying the campaign", revision(state, 1))
    expect_words("the revision", anna.page.get_by_role("main").inner_text(), "in force", ": hello again", OFFER)
    offer = service.offer(OFFER)
    expect_equal("the offer for apps", (offer["standing"], offer["limits"][1]["spend"]), ("running", "280.00"))
    anna.go("/console/offers")
    expect_words("the board", anna.region("running").inner_text(), OFFER, "280.00 of 280.00 USD")


def count_the_audience(anna: Person, service: Service, state: dict) -> None:
    anna.go("/console/offers")
    anna.follow(OFFER)
    anna.press("Count")
    anna.page.get_by_text("would get").first.wait_for()
    result = service.ask("GET", f"/v1/simulations/{anna.path.rpartition('/')[2]}", role="marketing")["result"]

    def words(count) -> str:
        return f"{count:,}" if isinstance(count, int) else f"fewer than {count['fewerThan']}"

    number = (f"{words(result['eligible'])} of {words(result['customers'])} customers" if isinstance(result["customers"], int)
              else "too few customers to tell how many")
    expect_words("the audience", anna.page.get_by_role("main").inner_text(), f"{number} would get `{OFFER}`",
                 "Counted all customers, by the catalog in force then, revision ")
    outcomes = {row["outcome"]: row["customers"] for row in anna.table("Outcomes")}
    for outcome in ("eligible", "ineligible", "undetermined"):
        expect_equal(f"customers who are {outcome}", outcomes[outcome], words(result[outcome]))
    left = [row["left"] for row in anna.table("Who is left after each rule")]
    expect_equal("who is left after each rule", left, [words(step["customers"]) for step in result["waterfall"]])


def pause_by_mistake(anna: Person, service: Service, state: dict) -> None:
    end = datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=7)
    anna.go(f"/console/offers/{OFFER}")
    form = anna.region("Pause")
    form.get_by_label("Until").fill(str(end))
    form.get_by_label("Reason").fill("wrong price")
    anna.press("Pause", form)
    expect_words("the paused offer", anna.heading(), "paused")
    until = f"time[datetime='{end}T00:00:00Z']"
    expect_words("the pause", anna.page.get_by_role("main").inner_text(), "wrong price")
    expect_words("the end of the pause", anna.page.locator(until).first.inner_text(), f"{end} 00:00 UTC")
    expect_equal("the reason for apps", service.offer(OFFER)["pause"]["reason"], "wrong price")
    customer = {"appAccountToken": Customer(201).account}
    refused = service.order(OFFER, customer, wanted=403)
    expect_equal("what refuses a paused offer", [finding["rule"] for finding in refused["findings"]], ["catalog.paused"])
    anna.go("/console/offers")
    expect_words("the board", anna.region("paused").inner_text(), OFFER, "wrong price")
    expect_words("the end of the pause on the board", anna.region("paused").locator(until).inner_text(), f"{end} 00:00 UTC")
    anna.go(f"/console/offers/{OFFER}")
    anna.press("Resume")
    expect_words("the resumed offer", anna.heading(), "running")
    for number in range(LIKE_IT):
        service.order(OFFER, {"appAccountToken": Customer(201 + number).account})


def read_the_results(anna: Person, service: Service, state: dict) -> None:
    """The table has the numbers of the API for the same range, and those that the campaign made."""
    today = datetime.datetime.now(datetime.UTC).date()
    first = today - datetime.timedelta(days=13)
    anna.follow("Results")
    for unit, zone in (("day", "Europe/Berlin"), ("week", ""), ("month", "")):
        anna.page.get_by_label("By", exact=True).select_option(unit)
        anna.page.get_by_label("Time zone").fill(zone)
        anna.page.get_by_label("From the beginning").fill(str(first))
        anna.press("Show")
        midnight = datetime.datetime.combine(first, datetime.time(), zoneinfo.ZoneInfo(zone or "UTC"))
        beginning = {"from": str(int(midnight.timestamp() * 1000))}
        buckets = service.series(OFFER, by=unit, **beginning | ({"timeZone": zone} if zone else {}))
        rows = anna.table(f"By {unit} in {zone or 'UTC'}")
        expect_equal(f"the rows by {unit}", [row["from"] for row in rows], [bucket["date"] for bucket in buckets] + ["total"])
        for count in ("requests", "eligible", "issued", "redeemed"):
            numbers = [bucket[count] for bucket in buckets]
            expect_equal(f"{count} by {unit}", [row[count] for row in rows], [str(number) for number in [*numbers, sum(numbers)]])
        expect_equal(f"offers issued by {unit}", rows[-1]["issued"], str(LIKE_IT))
        # The refusal while it was paused.
        expect_equal(f"requests by {unit}", rows[-1]["requests"], str(LIKE_IT + 1))
        expect(anna.page.locator("figure svg").count() > 0, f"the results by {unit} have no chart")
    refusals = {row["rule"]: row["refusals"] for row in anna.table("Refusals")}
    expect_equal("the refusals", refusals, {"catalog.paused": "1"})
    stages = {row["stage"]: row["customers"] for row in anna.table("Stages")}
    expect_equal("customers in the funnel", stages.get("issued"), str(LIKE_IT))


def pause_everything(anna: Person, service: Service, state: dict) -> None:
    """The kill switch holds for every offer, and is lifted."""
    anna.go("/console/offers")
    # Without JavaScript, what is folded opens as well.
    anna.page.locator("summary", has_text="Pause every offer").click()
    form = anna.region("Every offer")
    form.get_by_label("Reason").fill("leaked code")
    form.get_by_label("Agreed").check()
    anna.press("Pause every offer", form)
    expect_words("every offer", anna.region("paused").inner_text(), OFFER, "welcome-trial", "with every offer", "leaked code")
    expect(all(offer["paused"] for offer in service.items("/v1/offers")), "an offer is not paused for apps")
    anna.page.locator("summary", has_text="Resume every offer").click()
    anna.press("Lift the pause of every offer")
    expect(not any(offer["paused"] for offer in service.items("/v1/offers")), "an offer is still paused for apps")
    expect_equal("offers shown as paused", anna.region("paused").count(), 0)


def end_sooner(anna: Person, service: Service, state: dict) -> None:
    """The form of the offer's page changes the one value that was changed in it. It is planned, and not applied."""
    anna.go(f"/console/offers/{OFFER}")
    anna.follow("Change in a form")
    before = text(anna)
    expect_equal("the budget in the form", anna.page.get_by_label("Budget").input_value(), "280.00")
    ends = str(datetime.datetime.now(datetime.UTC).date() + datetime.timedelta(days=30))
    anna.page.get_by_label("Budget").fill("250.00")
    anna.page.get_by_label("Ends, as a time").fill(f"{ends}T00:00:00Z")
    anna.press("Change the text")
    budget = before.replace('spend: "280.00"', 'spend: "250.00"')
    expect_equal("the other lines", text(anna).replace(f"    ends: {ends}T00:00:00Z\n", ""), budget)
    expect_words("the plan of the change", editor(anna).inner_text(), f"2 changes to revision {state['base'] + 1}; nothing was applied", OFFER, "250.00")
    expect_equal("the revision in force after the change", in_force(service), state["base"] + 1)


def edit_at_once(anna: Person, service: Service, state: dict) -> None:
    """Two people edit. The second is told who was first, and loses no text."""
    with person(state["browser"], "campaign, the second editor", service.url) as ben:
        ben.sign_in(service.tokens["marketing"], "/console/catalog", called="ben")
        anna.go("/console/catalog")
        second = text(ben).replace('spend: "280.00"', 'spend: "500.00"')
        plan(ben, second)
        plan(anna, text(anna).replace('amount: "2.99"', 'amount: "3.99"'))
        apply(anna, "a better price")
        anna.expect_path("applying the price", revision(state, 2))
        apply(ben, "more budget")
        ben.expect_refusal(412)
        expect_words("the conflict", ben.alert(), f"another catalog was applied in between: revision {state['base'] + 2}", ": a better price")
        expect_equal("the second editor's text", text(ben), second)
        expect_equal("the revision in force", in_force(service), state["base"] + 2)
        changed = ben.page.get_by_role("link", name="What it changed")
        expect_equal("the link to the change", changed.get_attribute("href"), revision(state, 2))
        ben.press("Plan", editor(ben))
        # That the price would be undone too.
        expect_words("the second plan", editor(ben).inner_text(), f"2 changes to revision {state['base'] + 2}", "2.99", "3.99", "500.00")


def go_back(anna: Person, service: Service, state: dict) -> None:
    anna.go(revision(state, 0))
    form = anna.region("Roll back to it")
    expect_words("what a rollback changes", form.inner_text(), OFFER)
    form.get_by_label("All of this is intended").check()
    anna.press("Roll back", form)
    anna.expect_path("rolling back", revision(state, 3))
    expect_words("the rollback", anna.page.get_by_role("main").inner_text(), f"rollback to revision {state['base']}")
    anna.go("/console/catalog")
    expect_equal("the catalog after the rollback", text(anna), state["before"])
    listed = anna.page.get_by_role("link", name=re.compile("^revision ")).all_inner_texts()
    numbers = [f"revision {state['base'] + more}" for more in (3, 2, 1, 0)]
    expect_equal("the revisions", [words.partition(",")[0] for words in listed[:4]], numbers)
    expect_equal("the offer's status after the rollback", service.offer(OFFER)["status"], "archived")
