"""A receipt to be varied."""

from __future__ import annotations

from datetime import UTC, datetime

from daemon.wire import Receipt

RECEIPT = Receipt(datetime(2026, 1, 2, tzinfo=UTC), "work", "big", "api.example", "cloud", 100, "aa", {}, record="r1")
