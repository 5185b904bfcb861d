"""Support tickets, answered at the console without JavaScript by a key of the role `support`.

Each is a function that is named for the ticket and begins with what the customer or the team says. It brings a customer of its own, so
that no ticket depends on another.
"""

import datetime
import re

from browser import Person, expect, expect_equal, expect_words, plain
from service import Customer, Service, bought

COMEBACK = "comeback-half-price"
REDEEMED = {"redeem": {
    "type": "promotional", "offerIdentifier": "comeback50", "at": "now", "paymentMode": "payAsYouGo", "period": "P1M", "periodCount": 3,
    "price": {"amount": "4.99", "currency": "USD"}}}


def gone(days: int) -> list[dict]:
    """The steps of one who paid for a month that began so long ago, and left."""
    return [bought(f"-P{days}D"), {"cancel": {"at": f"-P{days - 5}D"}}, {"expire": {}}]


def answer(desk: Person, offer: str) -> str:
    """Yes, no or undetermined."""
    return desk.card(offer).get_by_role("heading").locator(".badge").inner_text()


def timeline(desk: Person, kind: str) -> list[str]:
    entries = desk.region("Timeline").get_by_role("listitem").filter(has=desk.page.locator(f".badge:text-is('{kind}')"))
    return [plain(text) for text in entries.all_inner_texts()]


def trial_refused(desk: Person, service: Service) -> None:
    """My free trial is refused."""
    customer = Customer(101, {"trial": {
        "product": "com.example.pro.monthly", "group": "21500001", "at": "-P200D", "length": "P1W", "period": "P1M",
        "price": {"amount": "9.99", "currency": "USD"}}}, {"renew": {}}, {"cancel": {"at": "-P180D"}}, {"expire": {}})
    service.load(customer)
    desk.look_up(customer.account)
    expect_equal("the trial", answer(desk, "welcome-trial"), "no")
    wanted = service.decision("welcome-trial", customer.account)
    expect_words("the trial", desk.card("welcome-trial").inner_text(), wanted["explanation"]["customerAnswer"])
    desk.follow("Every reason", desk.card("welcome-trial"))
    finding = desk.page.locator("li.violated", has_text="platform.introductory.unusedInGroup")
    expect_words("the reason", finding.first.inner_text(), f"(transaction `{customer.transaction(1)}`)", "does not hold")
    expect_equal("rules that are broken", desk.page.locator("ul.findings > li.violated").count(), sum(
        finding["verdict"] == "violated" for finding in wanted["findings"]))


def told_in_german(desk: Person, service: Service) -> None:
    """What may I tell this customer from Germany?"""
    customer = Customer(102, *gone(50))
    service.load(customer)
    desk.look_up(customer.account)
    for offer in ("welcome-trial", COMEBACK, "free-month-back"):
        # English is the page's own language; the others may be folded.
        for language, place in (("en", ""), ("de", "[lang=de]"), ("ja", "[lang=ja]")):
            decision = service.decision(offer, customer.account, request={"locale": language})
            shown = desk.card(offer).locator(place) if place else desk.card(offer)
            expect_words(f"{offer} in {language}", shown.text_content(), decision["explanation"]["customerAnswer"])


def app_got_403(desk: Person, service: Service) -> None:
    """The app got 403. We have a decisionId."""
    customer = Customer(103, *gone(40))
    service.load(customer)
    refused = service.order("free-month-back", {"appAccountToken": customer.account}, wanted=403)["decisionId"]
    desk.look_up(refused)
    desk.expect_path("the decisionId", f"/console/decisions/{refused}")
    expect_equal("the recorded answer", answer(desk, "free-month-back"), "no")
    expect_words("the decision", desk.page.get_by_role("main").inner_text(), "com.example.pro.monthly", "catalog revision",
                 "calendar months since access ended: 0 (must be between 1 and 12)", "rule.eligibility")


def wrong_account(desk: Person, service: Service) -> None:
    """The offer went to the wrong account. The customer needs it on the right one today."""
    customer = Customer(104, *gone(60))
    service.load(customer)
    issued = service.order(COMEBACK, {"appAccountToken": customer.account})["issuedOfferId"]
    desk.look_up(issued)
    desk.expect_path("the issuedOfferId", f"/console/issued-offers/{issued}")
    expect_words("the issued offer", desk.heading(), COMEBACK, "open")
    expect_words("why it was issued", desk.region("Why it was issued").inner_text(), "eligible", "Decided again, nothing differs.")
    form = desk.region("Void")
    form.get_by_label("Reason").fill("wrong account, ticket 4711")
    form.get_by_label("Release its place").check()
    desk.press("Void", form)
    expect_words("after voiding", desk.heading(), "voided")
    expect_equal("the reason", desk.told("Reason"), "wrong account, ticket 4711")
    expect_equal("whether it is released", desk.told("Released"), "yes")
    recorded = service.ask("GET", f"/v1/issued-offers/{issued}")
    expect_equal("the record", (recorded["state"], recorded["released"], recorded["voidReason"]),
                 ("voided", True, "wrong account, ticket 4711"))
    # Its place is free again, and the page of the customer says so.
    desk.look_up(customer.account)
    expect_words("issued offers", desk.region("Issued offers").inner_text(), "voided", "wrong account, ticket 4711")
    expect_equal("the offer after its release", answer(desk, COMEBACK), "yes")
    expect("anna" in service.offerd("customers", "export", "--app-account-token", customer.account, "--app", "com.example.pro",
                                    "--environment", "LocalTesting"), "the record does not name who voided the offer")


def again_later(desk: Person, service: Service) -> None:
    """I left last month. When can I have the free month?"""
    customer = Customer(105, *gone(45))
    service.load(customer)
    decision = service.decision("free-month-back", customer.account)
    change = datetime.datetime.fromtimestamp(decision["turningPoint"]["at"] / 1000, datetime.UTC)
    desk.look_up(customer.account)
    expect_equal("the free month now", answer(desk, "free-month-back"), "no")
    expect_words("the free month", desk.card("free-month-back").inner_text(), f"{change:%Y-%m-%d}")
    for day, wanted in ((change.date(), "no"), (change.date() + datetime.timedelta(days=1), "yes")):
        form = desk.region("Offers")
        form.get_by_label("As of").fill(str(day))
        desk.press("Decide", form)
        expect_words("the heading of the offers", desk.region("Offers").get_by_role("heading", level=2).inner_text(), str(day))
        expect_equal(f"the free month as of {day}", answer(desk, "free-month-back"), wanted)


def bad_signature(desk: Person, service: Service) -> None:
    """StoreKit says that the signature is invalid."""
    customer = Customer(106, *gone(70))
    service.load(customer)
    jws = service.order(COMEBACK, {"appAccountToken": customer.account})["signatures"]["v2"]["jws"]
    desk.go("/console/signatures")
    for product, verdict, words in (
        ("com.example.pro.yearly", "invalid",
         ("signed for product `com.example.pro.monthly`, and the app buys `com.example.pro.yearly`", "certain", "otherProduct",
          "sign the product that the app buys")),
        ("com.example.pro.monthly", "valid", ()),
    ):
        desk.page.get_by_label("Format").select_option("v2")
        desk.page.get_by_label("The signature").fill(jws)
        desk.page.get_by_label("Product", exact=True).fill(product)
        desk.press("Check")
        expect_equal(f"the verdict on {product}", desk.page.get_by_role("status").locator(".badge").inner_text(), verdict)
        expect_words(f"the check of {product}", desk.status(), *words)
    desk.page.get_by_label("The signature").fill("not a signature")
    desk.press("Check")
    desk.expect_refusal(400)
    expect_words("the check of a text", desk.alert(), "a compact JWS has 3 parts, and this has 1")


def full_price(desk: Person, service: Service) -> None:
    """I was to get half price, and was charged in full."""
    customer = Customer(107, *gone(80))
    service.load(customer)
    service.order(COMEBACK, {"appAccountToken": customer.account})
    customer.steps.append({"resubscribe": {"at": "now"}})
    service.load(customer)
    desk.look_up(customer.account)
    entries = timeline(desk, "bought at full price")
    expect_equal("purchases at full price after a signature", len(entries), 1)
    expect_words("the timeline", " ".join(entries), f"`{COMEBACK}` was signed but not used", customer.transaction(2))
    expect_words("the transactions", desk.region("Transactions").inner_text(), customer.transaction(2), "9.99")
    expect_equal("bars of it in the drawing", desk.page.locator("figure svg rect.boughtAtFullPrice title").count(), 1)


def used_twice(desk: Person, service: Service) -> None:
    """Marketing counts an offer twice. Who used it?"""
    signed_for, other = Customer(108, *gone(90)), Customer(109, *gone(90))
    service.load(signed_for)
    issued = service.order(COMEBACK, {"appAccountToken": signed_for.account}, formats=["v1"])["issuedOfferId"]
    # A V1 signature holds for every purchase with that account token.
    other.account = signed_for.account
    for customer in (signed_for, other):
        customer.steps.append(REDEEMED)
        service.load(customer)
    desk.look_up(signed_for.transaction(1))
    entries = timeline(desk, "redeemed")
    expect_equal("uses of the offer", len(entries), 2)
    expect_words("the uses", " ".join(entries), f"issued offer {issued}", "by another customer")
    desk.look_up(other.transaction(1))
    expect_words("the other's use", " ".join(timeline(desk, "redeemed")), f"issued offer {issued}", "issued to another customer")
    # The account token alone names both, and the page says how to go on.
    desk.look_up(signed_for.account)
    desk.expect_refusal(409)
    expect_words("a search that names two", desk.alert(), "originalTransactionId")


def new_account(desk: Person, service: Service) -> None:
    """I made a new account, and the app says that I had the offer."""
    customer = Customer(110, *gone(100))
    service.load(customer, "user-110")
    service.order(COMEBACK, {"appAccountToken": customer.account})
    customer.steps.append(REDEEMED)
    service.load(customer, "user-110")
    fresh = "00000111-0000-4000-8000-000000000111"
    refused = service.order(COMEBACK, {"originalTransactionId": customer.transaction(1), "appAccountToken": fresh}, wanted=403)
    desk.look_up(fresh)
    accounts = plain(desk.page.get_by_role("region", name=re.compile("^(Identifiers|Linked accounts)$")).inner_text())
    expect_words("the accounts", accounts, fresh, customer.account, "user-110", customer.transaction(1), customer.apple)
    expect_equal("the offer for the new account", answer(desk, COMEBACK), "no")
    desk.follow("Every reason", desk.card(COMEBACK))
    finding = desk.page.locator("li.violated", has_text="limit.customer").first.inner_text()
    expect_words("the limit", finding, "under another sign-up of the same Apple Account", customer.account)
    expect_words("the timeline", " ".join(service.customer(fresh)["timeline"][0]["message"].split()), COMEBACK)
    desk.look_up(refused["decisionId"])
    desk.expect_path("the decisionId", f"/console/decisions/{refused['decisionId']}")


def found_by_nothing(desk: Person, service: Service) -> None:
    """The app says no, and my account is not found."""
    sent = "00000116-0000-4000-8000-000000000116"
    refused = service.order(COMEBACK, {"appAccountToken": sent}, wanted=422)
    desk.look_up("00000117-0000-4000-8000-000000000117")
    desk.expect_refusal(404)
    desk.go("/console/customers")
    unmatched = desk.region("Recent requests that found no customer").get_by_role("listitem").first
    expect_words("the newest request", unmatched.inner_text(), COMEBACK, "undetermined", f"appAccountToken {sent}")
    desk.follow(COMEBACK, unmatched)
    desk.expect_path("the request's decision", f"/console/decisions/{refused['decisionId']}")


def goodwill(desk: Person, service: Service) -> None:
    """A mail promised me the free month, and the app says no."""
    customer, offer = Customer(115, *gone(45)), "free-month-back"
    service.load(customer)
    desk.look_up(customer.account)
    expect_equal("the free month before the grant", answer(desk, offer), "no")

    def grant(reason: str) -> None:
        form = desk.region("Grants")
        form.locator("summary").click()
        form.get_by_label("Offer", exact=True).select_option(offer)
        form.get_by_label("Reason").fill(reason)
        desk.press("Grant", form)

    grant("ticket 4712: wrong mail")
    expect_equal("the free month after the grant", answer(desk, offer), "yes")
    desk.press("Revoke", desk.region("Grants"))
    expect_equal("the free month after the grant was revoked", answer(desk, offer), "no")
    grant("ticket 4712: promised by mail")
    issued = service.order(offer, {"appAccountToken": customer.account})["issuedOfferId"]
    desk.look_up(customer.account)
    states = desk.region("Grants").get_by_role("listitem").locator(".badge").all_inner_texts()
    expect_equal("the grants", sorted(states), ["revoked", "used"])
    desk.follow("The issued offer", desk.region("Grants"))
    desk.expect_path("the grant", f"/console/issued-offers/{issued}")
    expect_words("the timeline", " ".join(entry["message"] for entry in service.customer(customer.account)["timeline"]),
                 "ticket 4712: promised by mail")


def nothing_found(desk: Person, service: Service) -> None:
    """The customer gave us only the order of a receipt."""
    customer = Customer(112, bought("-P20D"))
    desk.look_up("user-0")
    desk.expect_refusal(404)
    expect_words("a search for an unknown name", desk.alert(), "no customer")
    desk.look_up("MK5TTTVWJH")
    desk.expect_refusal(404)
    desk.press("Ask Apple for this order")
    desk.expect_refusal(404)
    expect_words("an order that Apple does not know", desk.alert(), "Apple knows no order `MK5TTTVWJH`")
    service.tell_apple("MK5TTTVWJH", customer)
    desk.look_up("MK5TTTVWJH")
    desk.expect_refusal(404)
    desk.press("Ask Apple for this order")
    expect_words("what Apple said", desk.status(), "Transactions: 1 new")
    expect_words("the customer", desk.heading(), customer.transaction(1))
    expect_equal("the subscription", desk.told("State", desk.region("Subscriptions")), "subscribed")


def old_data(desk: Person, service: Service) -> None:
    """My subscription renewed, and the app does not know."""
    customer = Customer(113, bought("-P70D"), {"renew": {}})
    service.load(customer)
    desk.look_up(customer.account)
    expect_equal("the subscription", desk.told("State", desk.region("Subscriptions")), "undetermined: a renewal was due and no newer renewal info is known")
    customer.steps.append({"renew": {}})
    service.tell_apple("MK5TTTVWJI", customer)
    desk.press("Refresh from Apple")
    expect_words("what Apple said", desk.status(), "Transactions: 1 new")
    expect_equal("the refreshed subscription", desk.told("State", desk.region("Subscriptions")), "subscribed")
    expect_words("the data", desk.region("Data").inner_text(), "History: complete")
    expect_words("the transactions", desk.region("Transactions").inner_text(), customer.transaction(3))
    expect_equal("the status that apps get", service.customer(customer.account)["subscriptions"][0].get("state"), "subscribed")


def not_my_role(desk: Person, service: Service) -> None:
    """A colleague sent me a link to a page that I cannot open."""
    links = desk.page.get_by_role("navigation", name="Console").get_by_role("link").all_inner_texts()
    expect("Customers" in links and "Operations" not in links, f"support is shown the way to {links}")
    for path, role in (("/console/operations", "admin"), ("/console/catalog/revisions/1", "marketing")):
        desk.go(path)
        desk.expect_refusal(403)
        expect_words(f"{path} for support", desk.alert(), "support", role)
    desk.go("/console/catalog")
    expect_words("the catalog", desk.page.get_by_role("main").inner_text(), "bundleId: com.example.pro")
    for path in ("/console/catalog", "/console/offers", f"/console/offers/{COMEBACK}"):
        desk.go(path)
        for button in ("Pause", "Pause every offer", "Plan", "Apply"):
            expect_equal(f"buttons `{button}` for support at {path}", desk.page.get_by_role("button", name=button, exact=True).count(), 0)


def signed_out(desk: Person, service: Service) -> None:
    """I share this computer. Who can see what I looked up?"""
    customer = Customer(114, bought("-P10D"))
    service.load(customer)
    desk.look_up(customer.account)
    seen = desk.path
    desk.press("Sign out")
    desk.expect_path("signing out", "/console/sign-in")
    desk.go(seen)
    expect(desk.path.startswith("/console/sign-in"), f"after signing out, {desk.path} is shown")
    for role in ("client", "app"):
        desk.sign_in(service.tokens[role], "/console/customers")
        desk.expect_refusal(403)
        expect_words(f"signing in with a key of the role {role}", desk.alert(), role)


TICKETS = [
    trial_refused, told_in_german, app_got_403, wrong_account, again_later, bad_signature, full_price, used_twice, new_account,
    goodwill, nothing_found, found_by_nothing, old_data, not_my_role, signed_out,
]
