"""Where these tests run in CI: in a network that holds this machine alone."""

from __future__ import annotations

import os

import psutil
import pytest

from tests.agents.alone import TEST_NET
from tests.fakes.agents import MUST

pytestmark = pytest.mark.agents


@pytest.mark.skipif(not os.environ.get(MUST), reason="outside CI agents may have a network")
def test_nothing_leads_out() -> None:
    """What these agents and SDKs do here, they do with loopback alone: there is no other interface."""
    assert set(psutil.net_if_stats()) == {"lo"}
    addresses = {each.address for found in psutil.net_if_addrs().values() for each in found}
    assert addresses <= {"127.0.0.1", "::1", "00:00:00:00:00:00", TEST_NET}
