"""What an organisation calls its own things, where the words around say so: projects, databases, tables in schemas.

Names have no form of their own; those that nothing here tells are found by the user's dictionary alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.overlaps import Vocabulary, places
from daemon.signals.samples import is_kind_only, is_sample_name, is_stand_in

LABEL: Final = "TERM"
_PROJECTS: Final = ("project ", "projekt ", "projet ", "proyecto ", "operation ", "initiative ")
_PROJECT: Final = re.compile(
    r"(?:[Pp]roject|PROJECT|[Oo]peration|[Ii]nitiative|[Pp]rojekt|[Pp]rojet|[Pp]royecto) (?P<quote>[\"'“«`]?)"
    r"(?P<name>[A-Z][\w-]{2,30}(?: (?:[A-Z][a-z]{2,20}|[IVX]{1,4}|\d{1,4})(?![\w-])){0,2})(?![\w(]|\.\w)"
)
_CALLED: Final = re.compile(
    r"(?:code[- ]?named?|code ?name(?: is|:)?|internally (?:called|known as)|working title(?: is|:)?)[ :=]{1,3}[\"'“«`]?"
    r"(?P<name>[A-Z][\w-]{2,30}(?: [A-Z][\w-]{2,30})?)(?!\w)"
)
_NO_NAMES: Final = frozenset(
    """
    about admin administration and architect authors area assistant board brief budget charter closure code contributors
    coordinator cost creation
    dates deadline delivery description details director directory documentation euler explorer file files folder for goals
    gutenberg home id idea info information is items jupyter kickoff lead leader leads layout loom lombok management manager
    managers member members metadata milestones name number objective objectives office officer organization overview owner
    owners page path phase plan planning plans portfolio proposal purpose reactor references report requirements review risk
    roadmap root rules schedule scope settings setup sponsor status structure summary tab team the timeline title tool
    tracker
    type updates url valhalla view wizard zero zomboid bluefin panama amber
    """.split()  # noqa: SIM905
)
"""Words that follow `project` in a sentence or a heading, and projects that everybody knows."""

_TABLE: Final = re.compile(
    r"(?P<word>\w+) {1,4}(?:(?i:if (?:not )?exists) )?(?P<name>(?:[A-Za-z_]\w{1,40}\.){1,2}[A-Za-z_]\w{1,60})(?![\w.(])"
)
_TABLE_WORDS: Final = ("from ", "join ", "into ", "update ", "table ")
_STATEMENTS: Final = (
    "select ",
    "insert into",
    "delete from",
    "update ",
    "create table",
    "alter table",
    "drop table",
    "truncate table",
)
_SQL: Final = re.compile(r"\b(?:select|insert|delete|join|where|create|alter|update)\b")
_PUBLIC_SCHEMAS: Final = frozenset(
    [
        "information_schema",
        "pg_catalog",
        "sys",
        "mysql",
        "performance_schema",
        "dbo",
        "public",
        "pg_toast",
        "sqlite_master",
        "system",
        "dual",
        "information",
    ]
)
_DATABASE: Final = re.compile(
    r"(?:dbname|database(?:_?name)?|initial catalog|db_name|db_database|postgres_db|mysql_database|mongo_db|pgdatabase)"
    r"[\"']?[ \t]{0,3}[:=][ \t]{0,3}[\"']?(?P<name>[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)(?![\w.(\[-])"
)
_DATABASE_WORDS: Final = ("dbname", "database", "initial catalog", "db_name", "postgres_db", "mongo_db")
_IN_URL: Final = re.compile(
    r"(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|sqlserver|redshift|snowflake|"
    r"clickhouse)(?:\+[a-z0-9]+)?://[^\s'\"<>/]{1,200}/"
    r"(?P<name>[a-z][a-z0-9]*(?:[_-][a-z0-9]+)+)(?![\w/-])"
)
_URL_SCHEMES: Final = (
    "postgres",
    "mysql://",
    "mysql+",
    "mariadb",
    "mongodb",
    "sqlserver",
    "redshift:",
    "snowflake:",
    "clickhouse",
)
_NOBODYS: Final = re.compile(
    r"(?:my|your|the|test|example|sample|demo|dev|local|some|new|old|default)[_-](?:app|db|database|data|"
    r"project|test|name|dev|api|service|schema)|"
    r"(?:db|database|app|test)[_-](?:name|test|dev|prod|db|production|staging|\d+)"
)


def told_names(text: str, lower: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """lower: the text in small letters, at the same length. vocabulary: its own."""
    for at in places(lower, vocabulary.said(_PROJECTS)):
        if (
            (hit := _PROJECT.match(text, at))
            and not (at and text[at - 1].isalnum())
            and _is_name(hit["name"], hit["quote"])
        ):
            yield Found(*hit.span("name"), LABEL)
    for at in places(lower, vocabulary.said(("code", "internally ", "working title"))):
        if (hit := _CALLED.match(text, at)) and not (at and text[at - 1].isalnum()):
            yield Found(*hit.span("name"), LABEL)
    if vocabulary.says(_STATEMENTS):
        yield from _tables(text, lower)
    for words, pattern in ((_DATABASE_WORDS, _DATABASE), (_URL_SCHEMES, _IN_URL)):
        for at in places(lower, vocabulary.said(words)):
            if (hit := pattern.match(lower, at)) and not (_NOBODYS.fullmatch(hit["name"]) or _is_sample(hit["name"])):
                yield Found(*hit.span("name"), LABEL)


def _is_name(name: str, quote: str) -> bool:
    words = name.lower().split()
    if is_stand_in(name) or is_sample_name(words[0]):
        return False
    return words[0] not in _NO_NAMES and (bool(quote) or words[-1] not in _NO_NAMES)


def _is_sample(name: str) -> bool:
    return is_sample_name(name) or is_kind_only(name) or name in _KINDS


_KINDS: Final = frozenset({"db", "schema", "schema_name", "app_development", "app_production", "app_test", "db_name"})
_NO_SCHEMAS: Final = frozenset({"self", "this", "cls", "other"})


def _tables(text: str, lower: str) -> Iterator[Found]:
    """`hr.salaries` in a statement: who has a schema for it has named both. Python's `from a.b import` is none."""
    for at in places(lower, _TABLE_WORDS):
        if (at and lower[at - 1].isalnum()) or not (hit := _TABLE.match(text, at)):
            continue
        schema, _, table = hit["name"].lower().rpartition(".")
        if schema in _PUBLIC_SCHEMAS or schema.rpartition(".")[2] in _PUBLIC_SCHEMAS or table == "*":
            continue
        if schema.rpartition(".")[2].strip("_") in _NO_SCHEMAS or any(map(_is_sample, (schema, table))):
            continue
        line = lower[lower.rfind("\n", 0, at) + 1 : hit.end() + 12]
        if " import" in line[-12:] or not _SQL.search(lower, max(0, at - 300), hit.end() + 100):
            continue
        if hit["word"].isupper() or _SQL.search(line):
            yield Found(*hit.span("name"), LABEL)
