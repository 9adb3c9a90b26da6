# SPDX-License-Identifier: MIT
"""json_schema.py - checks values by the words of JSON Schema that the schemas in docs/ use"""
import re

TYPES = {"object": dict, "array": list, "string": str, "integer": int}
WORDS = {"$schema", "$id", "$defs", "$ref", "title", "description", "oneOf", "type", "const", "enum", "pattern",
         "minimum", "maximum", "items", "properties", "required", "additionalProperties"}


def check_object(value, schema, root, place):
    known = schema.get("properties", {})
    other = schema.get("additionalProperties", True)
    for name in schema.get("required", []):
        if name not in value:
            return f"{place}: lacks {name}"
    for name, member in value.items():
        if name not in known and other is False:
            return f"{place}: {name} is not in the schema"
        wrong = check(member, known.get(name, other if isinstance(other, dict) else {}), root, f"{place}.{name}")
        if wrong:
            return wrong
    return None


def check(value, schema, root=None, place="$"):
    """None, or the fault of the value."""
    root = root or schema
    assert set(schema) <= WORDS, f"{place}: the schema uses {set(schema) - WORDS}"
    if "$ref" in schema:
        return check(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, place)
    if "oneOf" in schema:
        wrong = [check(value, s, root, place) for s in schema["oneOf"]]
        return None if wrong.count(None) == 1 else f"{place}: {wrong.count(None)} of {wrong}"
    if "const" in schema and value != schema["const"]:
        return f"{place}: {value!r} is not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{place}: {value!r} is none of {schema['enum']}"
    if "type" in schema and (not isinstance(value, TYPES[schema["type"]]) or isinstance(value, bool)):
        return f"{place}: {value!r} is no {schema['type']}"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        return f"{place}: {value!r} does not match {schema['pattern']}"
    if isinstance(value, int) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return f"{place}: {value} is out of range"
    if isinstance(value, list):
        return next(filter(None, (check(v, schema.get("items", {}), root, f"{place}[{i}]")
                                  for i, v in enumerate(value))), None)
    return check_object(value, schema, root, place) if isinstance(value, dict) else None
