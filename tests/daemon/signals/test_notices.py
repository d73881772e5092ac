"""Names in the notice of an open licence."""

from __future__ import annotations

from daemon.signals.notices import notices
from daemon.signals.pii import Pii

NOTICE = "# Copyright (C) 2002 Mara Lind <mara@nordhof.com>\n# All rights reserved.\n"
GRANT = "# Permission is hereby granted, free of charge, to any person\n"


def test_a_credit_in_a_notice_is_no_find() -> None:
    """An open licence asks to pass it on; the same line without one is a find."""
    assert not Pii().find(NOTICE + GRANT)
    assert [hit.label for hit in Pii().find(NOTICE)] == ["EMAIL_ADDRESS"]


def test_other_lines_and_paragraphs_are_looked_at() -> None:
    """Only credits are free, and only in the notice's own run of lines."""
    assert [hit.label for hit in Pii().find(GRANT + "# mail mara@nordhof.com for more\n")] == ["EMAIL_ADDRESS"]
    assert [hit.label for hit in Pii().find(f"{GRANT}\n{NOTICE}")] == ["EMAIL_ADDRESS"]


def test_places_are_lines() -> None:
    """From a line's first character to its last."""
    text = (NOTICE + GRANT).lower()

    assert [text[start:end].count("\n") for start, end in notices(text)] == [0, 0]
    assert notices("no words of that kind\n") == []


def test_a_licence_by_its_name_alone_makes_a_notice() -> None:
    """In the fields of a docstring, in a variable, in a phrase."""
    for licence in (
        ":license: MIT, see LICENSE",
        "__license__ = 'BSD'",
        "# governed by a BSD-style license",
        "NO WARRANTY.",
    ):
        assert not Pii().find(f"__author__ = 'Mara Lind <mara@nordhof.com>'\n{licence}\n"), licence
    assert Pii().find("__author__ = 'Mara Lind <mara@nordhof.com>'\n__license__ = 'Nordhof, internal'\n")


def test_a_credit_at_an_open_project_is_free() -> None:
    """Such a mailbox stands in each commit; without words of credit, or elsewhere, it is a find."""
    assert not Pii().find("# Written by Mara Lind <mara@freebsd.org>\nimport re\n")
    assert not Pii().find("Signed-off-by: Mara Lind <mara@kernel.org>\n")
    assert Pii().find("please mail mara@freebsd.org about my illness\n")
    assert Pii().find("# Written by Mara Lind <mara@freebsd.org.nordhof.com>\n")
    assert Pii().find("# Written by Mara Lind <mara@nordhof.com>\n")
