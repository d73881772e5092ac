"""Which names and words everybody has."""

from __future__ import annotations

import pytest

from daemon.signals.code.public import PublicNames, key_of, public_names

OWN = PublicNames(frozenset({"readline", "order"}), frozenset({"ledger", "reconcile"}))


@pytest.mark.parametrize("name", ["readLine", "read_line", "READ_LINE", "orders", "order", "PostgreSQL", "api_version"])
def test_a_name_is_known_in_any_writing(name: str) -> None:
    """Case, underscores and a plural don't matter; products and keys of common files are known besides."""
    assert OWN.knows(name)


def test_a_word_is_known_in_its_forms() -> None:
    """Endings are taken off, and words that are part of the names count."""
    assert all(map(OWN.is_word, ("ledgers", "reconciling", "Reconciled", "order", "Reconciler")))
    assert not any(map(OWN.is_word, ("kestrel", "acmepay")))
    assert not OWN.knows("ledger")


@pytest.mark.parametrize(
    "name",
    [
        "parse_args",
        "capture_output",
        "read_csv",
        "addEventListener",
        "getOrDefault",
        "StringBuilder",
        "HashMap",
        "unwrap_or_default",
        "Println",
        "strlen",
        "push_back",
        "IEnumerable",
        "varchar",
        "row_number",
        "useState",
        "readFileSync",
        "BeginTx",
        "Errorf",
    ],
)
def test_the_shipped_list_knows_what_programs_call(name: str) -> None:
    """Of Python, JavaScript, Java, Rust, Go, C, C++, C# and SQL."""
    assert public_names().knows(name)


@pytest.mark.parametrize(
    "name", ["acmepay", "Falcon", "order_total", "MarginCalc", "settle_batch", "cust_ref", "invoices", "salaries"]
)
def test_the_shipped_list_knows_nobodys_own(name: str) -> None:
    """What somebody called something isn't in it."""
    assert not public_names().knows(name)
    assert key_of(name) == name.replace("_", "").lower()
