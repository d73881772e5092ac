"""The patterns of places where names stand."""

from __future__ import annotations

import pytest

from daemon.signals.code.telling import RULES, Rule

PLACES = (
    '__tablename__ = "a"',
    'Table("b", m)',
    "create_table :c do |t|",
    '@@map("c")',
    "tableName: 'c'",
    'source("d", "e")',
    "db.f.find({})",
    "postgres://u@h/g",
    "sqlplus u/p@h:1/i",
    "dbname=j",
    '"ENGINE": "x", "NAME": "k"',
    "psql -d l",
    "mysql -u root n",
    "pg_dump o",
    "\\c p",
    "copy q from '/x'",
    "select * from r",
    "from `a.b`",
    "Unknown database 's'",
    "Foreign key of column 't.id'",
    "a table called u and one called v",
    "called w table",
    "join x with y",
    "it reads from z and writes to aa",
    "the ab table in ac",
    "table ad that",
    "table ae.af",
    "-- ag db",
    "tables:\n  - ah",
    "TABLE = 'ai'",
    "moving aj from Oracle",
    "tables: ak, al",
    "/srv/am and services/an",
    "config/ao.yml",
    "'ap/prod'",
    "secret/aq/x",
    "deployment of ar",
    "fix(ar): x",
    "commit 1234567: as: x",
    "systemctl start at",
    "helm upgrade au",
    "kubectl -n av get deploy/aw",
    "service 'ax'",
    "from ay import az",
    "namespace Ba.Bb",
    "package bc.bd",
    "the be repo",
    "the Bfx service",
    "project called bg",
    "service bh-bi",
    "named the service bj",
    "project bk is",
    "rename bl to bm",
    "database bn.",
)


@pytest.mark.parametrize("rule", RULES, ids=range(len(RULES)))
def test_a_place_holds_one_of_the_hints(rule: Rule) -> None:
    """Each pattern finds something in a text, and nothing where none of its hints stands, so that looking first loses nothing."""
    found = [hit for place in PLACES for hit in rule.pattern.finditer(place.lower() if rule.sure else place)]

    assert found
    assert [hit.string for hit in found if not any(hint in hit.string.lower() for hint in rule.hints)] == []
