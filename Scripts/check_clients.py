"""Checks Python clients that were generated from openapi.yaml, and calls a running offerd with them.

usage: check_clients.py FOLDER [--server URL --tokens FOLDER --customer TOKEN]

FOLDER has `offerd_client` by openapi-python-client and `offerd_models.py` by datamodel-code-generator. Without a server it
checks that each operation and each schema is there, with a type for every body.

Exit: 0 everything is as it must be, 1 there are errors, one per line.
"""

import argparse
import importlib
import inspect
import pathlib
import re
import sys
import typing

import yaml

parser = argparse.ArgumentParser()
parser.add_argument("folder", type=pathlib.Path)
parser.add_argument("--server")
parser.add_argument("--tokens", type=pathlib.Path)
parser.add_argument("--customer")
arguments = parser.parse_args()
sys.path.insert(0, str(arguments.folder))
with open("openapi.yaml", encoding="utf-8") as file:
    document = yaml.safe_load(file)
faults = []


def expect(holds, fault):
    if not holds:
        faults.append(fault)


def is_untyped(annotation):
    """Whether a type, or the text of one, is Any or has it within."""
    if isinstance(annotation, str):
        return re.search(r"\bAny\b", annotation) is not None
    return annotation is typing.Any or any(map(is_untyped, typing.get_args(annotation)))


def bodyless(operation):
    """The statuses of responses without a body, such as 304."""
    return {status for status, response in operation["responses"].items() if "$ref" not in response and "content" not in response}


def operations():
    """Each operation with its module in the generated client."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if method != "parameters":
                folder = operation["tags"][0].lower().replace(" ", "_")
                name = re.sub(r"(?<!^)([A-Z])", r"_\1", operation["operationId"]).lower()
                yield operation, f"offerd_client.api.{folder}.{name}"


def check_client():
    for operation, name in operations():
        identifier = operation["operationId"]
        try:
            module = importlib.import_module(name)
            call = module.sync_detailed
        except ImportError as error:
            faults.append(f"openapi-python-client: {identifier} is missing: {error}")
            continue
        types = typing.get_type_hints(call)
        (result,) = typing.get_args(types["return"])
        # Only a response without a body is Any. One with a body of no type is recognised by its code: `Any` in the
        # annotation may be the other's.
        source = inspect.getsource(module)
        without = set(re.findall(r"response_(\d+) = cast\(Any, None\)", source))
        untyped = re.findall(r"response_(\d+) = response\.json\(\)", source)
        bodies = [part for part in typing.get_args(result) or [result] if not without or part is not typing.Any]
        expect(
            without == bodyless(operation) and not untyped and not any(map(is_untyped, bodies)),
            f"openapi-python-client: {identifier} returns {result}",
        )
        expect(
            ("requestBody" in operation) == ("body" in types) and not is_untyped(types.get("body")),
            f"openapi-python-client: {identifier} takes {types.get('body')}",
        )
    models = importlib.import_module("offerd_client.models")
    for name in models.__all__:
        for field, annotation in getattr(models, name).__init__.__annotations__.items():
            expect(not is_untyped(annotation), f"openapi-python-client: {name}.{field} is {annotation}")


def check_models():
    models = importlib.import_module("offerd_models")
    for name in document["components"]["schemas"]:
        expect(hasattr(models, name), f"datamodel-code-generator: {name} is missing")
    for name, model in inspect.getmembers(models, inspect.isclass):
        for field, details in getattr(model, "model_fields", {}).items():
            expect(not is_untyped(details.annotation), f"datamodel-code-generator: {name}.{field} is {details.annotation}")


def call_server():
    """What a backend, support and marketing do first."""
    import offerd_models
    from offerd_client import AuthenticatedClient, models
    from offerd_client.api.catalog import apply_catalog, show_catalog
    from offerd_client.api.customers import show_status
    from offerd_client.api.decisions import decide
    from offerd_client.api.issued_offers import issue_offer, show_issued_offer

    def client(role):
        token = (arguments.tokens / role).read_text(encoding="utf-8").strip()
        # A catalog comes back as it was written, YAML, unless JSON is asked for.
        return AuthenticatedClient(
            base_url=arguments.server, token=token, headers={"Accept": "application/json"}, raise_on_unexpected_status=True
        )

    def call(operation, role, model, status=200, **parameters):
        """The parsed response; the other generator's model must accept it as well."""
        response = operation.sync_detailed(client=client(role), **parameters)
        expect(response.status_code == status, f"{operation.__name__}: {response.status_code}: {response.content}")
        getattr(offerd_models, model).model_validate_json(response.content)
        expect(type(response.parsed).__name__ == model, f"{operation.__name__}: {response.parsed}")
        return response.parsed

    customer = models.Customer(app_account_token=arguments.customer)
    issued = call(issue_offer, "client", "IssuedOffer", 201, body=models.IssueRequest(
        offer_id="comeback-half-price", customer=customer, formats=list(models.SignatureFormat)))
    expect(issued.signatures.v1.key_id == "LOCALTEST1" and issued.signatures.v2.jws, f"issued: {issued}")
    shown = call(show_issued_offer, "support", "IssuedOffer", id=issued.issued_offer_id)
    expect(shown == issued, f"shown: {shown}")
    refused = call(issue_offer, "client", "Problem", 403, body=models.IssueRequest(
        offer_id="welcome-trial", product_id="com.example.pro.monthly", customer=customer))
    expect(refused.code == "not-eligible", f"refused: {refused}")
    statuses = call(show_status, "client", "Statuses", body=models.StatusRequest(customers=[customer]))
    expect(statuses.items[0].known and statuses.items[0].groups[0].state == "expired", f"statuses: {statuses}")
    decisions = call(decide, "support", "Decisions", body=models.DecisionRequest(
        customer=customer, offer_ids=["free-month-back"]))
    expect(decisions.decisions[0].findings[0].message, f"decisions: {decisions}")
    catalog = call(show_catalog, "marketing", "Catalog")
    planned = call(apply_catalog, "marketing", "CatalogApplied", body=catalog, if_match='"1"', dry_run=True)
    expect(planned.revision == 1 and planned.changes == [], f"planned: {planned}")


if arguments.server:
    call_server()
else:
    check_client()
    check_models()
for fault in faults:
    print(f"error: {fault}", file=sys.stderr)
print("the generated client works" if arguments.server else f"{len(list(operations()))} operations generated", f"({len(faults)} faults)")
sys.exit(1 if faults else 0)
