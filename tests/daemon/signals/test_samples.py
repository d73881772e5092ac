"""What documents, tests and templates are written with."""

from __future__ import annotations

import pytest

from daemon.signals.samples import (
    is_kind_only,
    is_nobodys_number,
    is_sample_address,
    is_sample_name,
    is_sample_number,
    is_sample_uuid,
    is_stand_in,
)


@pytest.mark.parametrize("name", ["my-bucket", "myapp", "yourdomain", "your-org", "foo", "contoso", "dev-123456"])
def test_names_of_examples(name: str) -> None:
    """They say so, or what the reader has to put in."""
    assert is_sample_name(name)


@pytest.mark.parametrize("name", ["mysql-01", "nordhof-payroll", "example-shop", "myra", "yourke", "foobarista"])
def test_names_that_somebody_has(name: str) -> None:
    """A word that only begins like one is none."""
    assert not is_sample_name(name)


def test_names_of_a_kind_alone() -> None:
    """`company`, `bucket-1`: nothing says whose."""
    assert all(map(is_kind_only, ("company", "bucket-1", "test_db")))
    assert not any(map(is_kind_only, ("tannhauser", "billing-db", "orders_prod")))


def test_numbers_that_nobody_was_given() -> None:
    """One digit repeated, or all counted."""
    assert all(map(is_sample_number, ("1234567890", "0000000000", "15555555555", "4900000000")))
    assert not any(map(is_sample_number, ("2125550123", "4915112345678", "4930123456")))


def test_ids_and_stand_ins() -> None:
    """Groups that are counted or one sign; capitals with a dash below."""
    assert is_sample_uuid("00000000-0000-0000-0000-000000000000")
    assert is_sample_uuid("12345678-1234-1234-1234-123456789012")
    assert not is_sample_uuid("8d7f2c1a-5b3e-4f60-9a1c-2e4d6f8a0b1c")
    assert is_stand_in("PROJECT_ID")
    assert not is_stand_in("Falcon")


def test_addresses_of_examples() -> None:
    """Equal steps that a hand types, and no address of a private network that somebody chose."""
    assert all(map(is_sample_address, ((1, 2, 3, 4), (4, 3, 2, 1), (10, 20, 30, 40), (2, 2, 2, 2))))
    assert not any(map(is_sample_address, ((10, 0, 0, 5), (10, 1, 2, 3), (52, 14, 3, 7), (10, 10, 10, 10))))


def test_numbers_that_are_kept_for_fiction() -> None:
    """With and without an area; no other exchange, and none of its lines beyond."""
    assert all(map(is_nobodys_number, ("5550100", "2025550143", "12025550199")))
    assert not any(map(is_nobodys_number, ("5550200", "2025551143", "2125450143")))
