"""Compares all that clients were answered with what the database has recorded."""

import collections

from outage_database import Pair
from outage_load import Load


class Judge:
    """Asks while the clients rest: then every request has its answer, and each signature was received by one of them."""

    def __init__(self, load: Load, database: Pair):
        self.load = load
        self.database = database
        self.received = self.recorded = self.places = 0

    def complaints(self, contested: str, places: int) -> list[str]:
        """What does not agree.

        - contested: an offer with that number of places.
        """
        found = self.load.faults[:5]
        self.load.faults = []
        found += self.signatures() + self.kept_answers() + self.limits(contested, places)
        return found

    def signatures(self) -> list[str]:
        signed = {answer.signature for answer in self.load.answers if answer.signature}
        made = collections.Counter(answer.signature for answer in self.load.answers if answer.status == 201)
        rows = collections.Counter(row[0] for row in self.database.query(
            "SELECT jws FROM issued_offer WHERE jws IS NOT NULL UNION ALL SELECT jws FROM signing WHERE jws IS NOT NULL"))
        self.received, self.recorded = len(signed), rows.total()
        found = []
        if lost := signed - set(rows):
            ids = [answer.offer_id for answer in self.load.answers if answer.signature in lost]
            found.append(f"{len(lost)} signatures that clients received are not recorded, such as of the issued offer {ids[0]}")
        if surplus := set(rows) - signed:
            found.append(f"{len(surplus)} signatures are recorded that no client received, though each request was answered")
        if doubled := [signature for signature, count in rows.items() if count > 1]:
            found.append(f"{len(doubled)} signatures are recorded twice")
        if shared := [signature for signature, count in made.items() if count > 1]:
            found.append(f"{len(shared)} new signatures are the answer to two keys")
        return found

    def kept_answers(self) -> list[str]:
        """Whether each answer is the one that is kept under its key, and there is one for each."""
        rows = {key: (int(status), digest) for key, status, digest in self.database.query(
            "SELECT key, status, md5(body) FROM kept_answer")}
        wrong = [
            answer for answer in self.load.answers if rows.get(answer.request.key) != (answer.status, answer.digest)]
        found = []
        if wrong:
            found.append(f"{len(wrong)} answers are not those kept under their key, such as {wrong[0].request.key}")
        if surplus := set(rows) - {answer.request.key for answer in self.load.answers}:
            found.append(f"{len(surplus)} answers are kept that no client received")
        return found

    def limits(self, contested: str, places: int) -> list[str]:
        found = []
        doubled = self.database.query(
            "SELECT count(*) FROM (SELECT 1 FROM issued_offer GROUP BY customer_id, offer_id HAVING count(*) > 1) AS doubled")
        if doubled != [["0"]]:
            found.append(f"customers have an offer twice: {doubled[0][0]}")
        self.places = int(self.database.query(f"SELECT count(*) FROM issued_offer WHERE offer_id = '{contested}'")[0][0])
        refused = any(answer.status == 403 and answer.request.offer == contested for answer in self.load.answers)
        if self.places > places or (refused and self.places != places):
            found.append(f"`{contested}` was issued {self.places} times, and {places} are its places")
        counters = self.database.query(
            "SELECT offer_id, amount, (SELECT count(*) FROM issued_offer WHERE offer_id = offer_counter.offer_id)"
            " FROM offer_counter WHERE unit = 'places'")
        if wrong := [offer for offer, amount, count in counters if amount != count]:
            found.append(f"the counters of {len(wrong)} offers are wrong, such as of `{wrong[0]}`")
        return found
