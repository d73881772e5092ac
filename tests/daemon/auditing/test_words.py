"""Numbers, dates and classes as people read them."""

from __future__ import annotations

from daemon.auditing.words import counted, money, named, share, short


def test_classes() -> None:
    """Small letters, and the usual capitals."""
    assert named("EMAIL_ADDRESS") == "Email address"
    assert named("AWS_SECRET_KEY") == "AWS secret key"
    assert named("GITHUB_TOKEN") == "GitHub token"
    assert named("IP_ADDRESS") == "IP address"


def test_counts() -> None:
    """One is one, and large numbers are short."""
    assert (counted(1, "secret"), counted(0, "secret"), counted(1200, "secret")) == (
        "1 secret",
        "0 secrets",
        "1,200 secrets",
    )
    assert (short(99_999), short(123_456), short(2_340_000)) == ("99,999", "123k", "2.3M")


def test_shares_do_not_round_to_an_end() -> None:
    """Some are not none, and most are not all."""
    assert share(0, 0) == "–"
    assert share(0, 9) == "0 %"
    assert share(1, 1000) == "<1 %"
    assert share(999, 1000) == "99 %"
    assert share(9, 9) == "100 %"
    assert share(1, 3) == "33 %"


def test_amounts() -> None:
    """Cents matter until thousands do; something is not nothing."""
    assert (money(0), money(0.001), money(12.3), money(12_345.6)) == ("$0.00", "<$0.01", "$12.30", "$12,346")
