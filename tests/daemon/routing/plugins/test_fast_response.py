"""The fixed answer."""

from __future__ import annotations

from daemon.recipes.plugins import FastResponse
from daemon.routing.plugins.fast_response import fast_response
from tests.fakes.asking import asking


def test_the_message_is_the_answer() -> None:
    """The request stays as it is."""
    changed = fast_response(asking("hello"), FastResponse(message="Closed today."))

    assert (changed.message, changed.request) == ("Closed today.", asking("hello"))
