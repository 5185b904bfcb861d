"""Validates openapi.yaml against OpenAPI 3.1, and every example in it against its schema.

usage: check_openapi.py [FILE]

Exit: 0 everything is valid, 1 there are errors, one per line.
"""

import sys

import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

path = sys.argv[1] if len(sys.argv) > 1 else "openapi.yaml"
with open(path, encoding="utf-8") as file:
    document = yaml.safe_load(file)
faults = []
checked = 0


def resolved(node):
    """The target of a reference, or the node itself if it is not a reference."""
    while isinstance(node, dict) and "$ref" in node:
        target = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def examples(node):
    """The examples of a media type, parameter or header, by name."""
    found = {name: resolved(example)["value"] for name, example in node.get("examples", {}).items()}
    return found | ({"example": node["example"]} if "example" in node else {})


def check(place, schema, value):
    """Validates one example against its schema, whose references point into the document."""
    global checked
    checked += 1
    # With the document's components added, the schema resolves its references under the same pointer.
    whole = {"components": document["components"], "allOf": [schema]}
    for error in Draft202012Validator(whole).iter_errors(value):
        faults.append(f"{place}: {error.json_path}: {error.message[:300]}")


def look(place, node):
    """All nodes with a schema and examples. References are followed once, where they are used."""
    if isinstance(node, list):
        for number, entry in enumerate(node):
            look(f"{place}[{number}]", entry)
    elif isinstance(node, dict):
        node = resolved(node) if "/schemas/" not in node.get("$ref", "") else node
        if "schema" in node:
            for name, value in examples(node).items():
                check(f"{place} example `{name}`", node["schema"], value)
        for key, entry in node.items():
            if key not in ("schema", "example", "examples", "links"):
                look(f"{place}.{key}", entry)


for error in OpenAPIV31SpecValidator(document).iter_errors():
    faults.append(f"not OpenAPI 3.1: {'.'.join(str(part) for part in error.absolute_path)}: {error.message[:300]}")
look("paths", document["paths"])
look("components.responses", document["components"]["responses"])
for name, schema in document["components"]["schemas"].items():
    for number, value in enumerate(schema.get("examples", [])):
        check(f"components.schemas.{name}.examples[{number}]", schema, value)
if checked == 0:
    faults.append("there is not one example")
for fault in faults:
    print(f"error: {path}: {fault}", file=sys.stderr)
print(f"{path}: {checked} examples checked, {len(faults)} faults")
sys.exit(1 if faults else 0)
