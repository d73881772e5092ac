"""Words that somebody is described by."""

from __future__ import annotations

from daemon.signals.implicit.facts import facts_in
from daemon.signals.implicit.heads import ORGANIZATIONS, PERSONS


def test_each_word_makes_a_description() -> None:
    """In the singular and with a determiner; what is said instead is no description itself."""
    for word, instead in {**ORGANIZATIONS, **PERSONS}.items():
        text = f"I saw the {word.replace('-', ' ')} there."
        (fact,) = [fact for fact in facts_in(text, 0, len(text)) if fact.kind in ("person", "organization")]
        assert fact.instead == instead, word

        again = f"I saw {instead} there."
        assert not [fact for fact in facts_in(again, 0, len(again)) if fact.kind == "person"], instead
