"""Names that are told by the place where they stand."""

from __future__ import annotations

from time import thread_time

import pytest

from daemon.signals.code.public import public_names
from daemon.signals.code.regions import regions
from daemon.signals.code.told import Told


def told(text: str) -> set[str]:
    return {text[start:end] for start, end in Told(public_names()).find(text, regions(text))}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("SELECT a FROM orders o, clients c JOIN payments p ON p.id = o.id", {"orders", "clients", "payments"}),
        ("INSERT INTO postings SELECT * FROM inbox;", {"postings", "inbox"}),
        ("UPDATE stock SET n = 1", {"stock"}),
        ("GRANT SELECT ON payroll TO analyst", {"payroll"}),
        ("How do I join orders with customers?", {"orders", "customers"}),
        ("Add a column to the payouts table in the treasury database.", {"payouts", "treasury"}),
        ("There is a table called ports.", {"ports"}),
        ("psql -h h -U app -d ledger", {"ledger"}),
        ("mysqldump -u root shop orders > dump.sql", {"shop", "orders"}),
        ("\\c warehouse", {"warehouse"}),
        ("postgresql://svc:pw@db:5432/analytics", {"analytics"}),
        ('{"database": "crm", "schema": "sales"}', {"crm", "sales"}),
        ('__tablename__ = "shipments"', {"shipments"}),
        ('Table("loans", metadata)', {"loans"}),
        ("create_table :vouchers do |t|", {"vouchers"}),
        ("Unknown database 'quarry'", {"quarry"}),
        ("tables:\n  - heats\n  - ladles\n", {"heats", "ladles"}),
        ("git clone git@github.com:harrow-finch/pelican.git", {"harrow-finch", "pelican"}),
        ('import { Button } from "@kestrelpay/design-system";', {"kestrelpay", "design-system"}),
        ("image: ghcr.io/harrow-finch/concierge:latest", {"harrow-finch", "concierge"}),
        ("package com.emberworks.payments;", {"emberworks"}),
        ("from nightjar.auth import bridge", {"nightjar"}),
        ("kubectl -n magpie get pods", {"magpie"}),
        ("fix(pelican): retry", {"pelican"}),
        ("It is in the magpie repository.", {"magpie"}),
        ("Copyright 2023 Lumen Dynamics. All rights reserved.", {"Lumen Dynamics"}),
    ],
)
def test_a_place_makes_a_name_of_any_word(text: str, names: set[str]) -> None:
    """Statements, commands, addresses, settings, ORMs, what servers answer, and what people call a thing."""
    assert told(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Update the table of contents from the command line, then join the call and select from the menu.",
        "Which database is the best? The database is locked, and the schema is invalid.",
        "Create a new table with a unique key in the test database; a routing table in memory.",
        "from os import path\nimport numpy as np\nfrom . import views",
        "postgres://postgres:postgres@localhost:5432/postgres",
        "FROM python:3.11\nCOPY package.json .",
        "git clone https://github.com/pallets/flask.git",
        'import type { Request } from "@types/express";',
        "image: nginx:1.25",
        "kubectl -n default get pods",
        "import org.springframework.boot.SpringApplication;",
        "Copyright (c) 2015 The Apache Software Foundation. Licensed under the Apache License, Version 2.0.",
        "Array.from(\"quarry\"); Buffer.from('quarry')",
        "def x():\n    del ta\n    raise ValueError from error",
    ],
)
def test_words_of_sentences_languages_and_libraries_are_none(text: str) -> None:
    """The same places with adjectives, products, public packages and keywords in them."""
    assert told(text) == set()


def test_a_long_line_takes_no_more_than_its_share() -> None:
    """Ten times as many statements in one line take about ten times as long, not a hundred."""
    line = "select a, b from orders o join clients c on c.id = o.id; "

    def seconds(times: int) -> float:
        began = thread_time()
        told(line * times)
        return thread_time() - began

    seconds(20)
    assert seconds(1000) < 40 * max(seconds(100), 0.002)
