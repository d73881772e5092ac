"""Templates become sentences."""

from __future__ import annotations

from random import Random

from edge_models.training.grammar import filled, marked, roughened, templates


def test_slots_are_filled_to_the_end() -> None:
    """A slot may hold slots; what is no slot stays."""
    slots = {"a": ["{b} and {b}"], "b": ["x"]}

    assert filled('{a}: {"k": {z}}', slots, Random(1)) == 'x and x: {"k": {z}}'


def test_marks_become_spans() -> None:
    """Marked stretches lose their marks and get their places."""
    text, spans = marked("Hi <P>Ann Lee</P> of <O>Acme</O>, <A>1 Elm St</A>")

    assert text == "Hi Ann Lee of Acme, 1 Elm St"
    assert [(kind, text[start:end]) for kind, start, end in spans] == [
        ("PERSON", "Ann Lee"),
        ("ORGANIZATION", "Acme"),
        ("ADDRESS", "1 Elm St"),
    ]


def test_roughened_texts_keep_their_letters() -> None:
    """Only case and the last mark change."""
    for seed in range(50):
        assert roughened("Do it Now.", Random(seed)).lower().rstrip(".") == "do it now"


def test_every_slot_of_the_files_is_known() -> None:
    """No template of ours leaves a slot open."""
    file = templates("attacks")
    slots = {**file["slots"], **file["german"], **file["spanish"], **file["french"]}
    for family in file["families"].values():
        for template in family:
            for seed in range(5):
                text = filled(template, slots, Random(seed))
                assert "{" not in text.replace('{"role"', "").replace('"}', ""), template
