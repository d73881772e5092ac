"""Projects, databases and tables, where the words around say so."""

from __future__ import annotations

import pytest

from daemon.signals.overlaps import Vocabulary
from daemon.signals.told_names import told_names


def found(text: str) -> list[str]:
    return [text[hit.start : hit.end] for hit in told_names(text, text.lower(), Vocabulary(text.lower()))]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Project Falcon is late", "Falcon"),
        ('about project "Blue Heron" now', "Blue Heron"),
        ("codename Bluebird", "Bluebird"),
        ("SELECT * FROM hr.salaries WHERE x", "hr.salaries"),
        ("select a from finance.ledger_2024 l", "finance.ledger_2024"),
        ("INSERT INTO billing.invoices (a) VALUES (1)", "billing.invoices"),
        ("dbname=lindgren_prod user=x", "lindgren_prod"),
        ("postgres://u@h/lindgren_billing", "lindgren_billing"),
    ],
)
def test_own_names_are_found(text: str, name: str) -> None:
    """Behind the word, in the statement, in the address."""
    assert found(text) == [name]


@pytest.mark.parametrize(
    "text",
    [
        "the project manager and the Project Management Office",
        "# Project Overview\n## Project Structure",
        "Project Gutenberg, Project Jupyter",
        "from a.b import c\nimport x.y",
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM users WHERE id = 1",
        "FROM python:3.11",
        "postgres://u@h/my_db and dbname=test_db",
        "update the settings.py file; select it from a.b.c()",
    ],
)
def test_sentences_and_code_are_left_alone(text: str) -> None:
    """Headings, imports, public schemas and placeholders."""
    assert found(text) == []
