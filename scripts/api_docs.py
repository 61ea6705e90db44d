"""The pages of docs/reference that are made from the API: its operations, and its problems."""

from collections.abc import Callable
from typing import Any

Table = Callable[[list[str], list[list[str]]], str]
PREFIX = "/api/v1"


def operations_page(generated: str, table: Table) -> str:
    """Every operation, by tag: what it does, its parameters, and its scope. Django must be set up."""
    from agon.site.api.urls import api

    schema = api.get_openapi_schema()
    parts = [
        f"# API\n\n{generated}",
        "All addresses begin with `/api/v1`. [Use the API](../guides/api.md) shows how to use them, and"
        " `/api/v1/openapi.json` has the types of all fields.\n",
    ]
    scopes = _scopes(api)
    for tag, operations in _by_tag(schema).items():
        rows = [
            [
                f"`{method.upper()} {path.removeprefix(PREFIX)}`",
                operation["description"].split("\n\n")[0].replace("\n", " "),
                ", ".join(f"`{name}`" for name in _parameters(schema, operation)),
                scopes.get(operation["operationId"], ""),
            ]
            for path, method, operation in operations
        ]
        header = ["operation", "what it does", "parameters", "scope"]
        parts.append(f"## {tag.capitalize()}\n\n{table(header, rows)}\n")
    return "\n".join(parts)


def problems_page(generated: str, table: Table) -> str:
    """Every code of a problem. Django is set up."""
    from agon.site.api.problems import KINDS

    parts = [
        f"# Problems\n\n{generated}",
        "What the `code` of an error says. [Use the API](../guides/api.md#when-something-is-wrong) explains"
        " the other fields.\n",
    ]
    parts += [f"## {code}\n\n{kind.status}. {kind.title}\n" for code, kind in KINDS.items()]
    return "\n".join(parts)


def _by_tag(schema: Any) -> dict[str, list[tuple[str, str, Any]]]:
    by_tag: dict[str, list[tuple[str, str, Any]]] = {}
    for path, operations in schema["paths"].items():
        for method, operation in operations.items():
            by_tag.setdefault(operation["tags"][0], []).append((path, method, operation))
    return dict(sorted(by_tag.items()))


def _parameters(schema: Any, operation: Any) -> list[str]:
    """The names of its parameters, and of the fields of its body."""
    names = [parameter["name"] for parameter in operation["parameters"] if parameter["in"] == "query"]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        names += _fields(schema, content["schema"])
    return names


def _fields(schema: Any, body: Any) -> list[str]:
    if "anyOf" in body:
        return [name for alternative in body["anyOf"] for name in _fields(schema, alternative)]
    if "$ref" in body:
        body = schema["components"]["schemas"][body["$ref"].rpartition("/")[2]]
    return list(body.get("properties", {}))


def _scopes(api: Any) -> dict[str, str]:
    """The scope of each operation that needs a token, by its id."""
    return {
        api.get_openapi_operation_id(operation): operation.auth_callbacks[0].scope.value
        for router in api._get_bound_routers()
        for view in router.path_operations.values()
        for operation in view.operations
        if operation.auth_callbacks
    }
