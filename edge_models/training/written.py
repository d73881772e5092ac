"""Rows that are made of our own templates: what the sets lack, hard negatives above all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from edge_models.training.disguise import disguised
from edge_models.training.grammar import filled, holding, marked, roughened, templates
from edge_models.training.rows import BENIGN, Row

Bodies = tuple[str, ...]
"""Texts by others that documents are made of."""


def domain(random: Random, bodies: Bodies) -> Iterator[Row]:
    """Questions as people put them to an assistant, of 13 subjects and of none."""
    file = templates("domain")
    topics = {name: [topic.strip() for topic in text.split(";")] for name, text in file["topics"].items()}
    for name in topics:
        slots = {
            "topic": topics[name],
            "other": topics[name],
            "word": [word.strip() for word in file["words"][name].split(";")],
        }
        for _ in range(1300 if name == "other" else 800):
            text = roughened(filled(random.choice(file["frames"]["ask"]), slots, random), random)
            yield Row(text[:1].upper() + text[1:], {**BENIGN, "domain": name}, source="templates.domain")


def attacks(random: Random, bodies: Bodies) -> Iterator[Row]:
    """Overriding instructions, alone, after a harmless text, and hidden in documents."""
    file = templates("attacks")
    slots = {**file["slots"], **file["german"], **file["spanish"], **file["french"]}
    families: dict[str, list[str]] = file["families"]
    counts = {"override": 700, "german": 260, "spanish": 80, "french": 80}
    for name, family in families.items():
        for _ in range(counts.get(name, 220)):
            attack = roughened(filled(random.choice(family), slots, random), random)
            yield _attack(attack, "", "", f"attack {attack}")
    for _ in range(600):
        name = random.choice(("override", "leak", "authority", "reader", "swap"))
        attack = filled(random.choice(families[name]), slots, random)
        yield _attack(disguised(attack, random), "", "", f"attack {attack}")
    for _ in range(1700):
        name = random.choice(list(families))
        attack = filled(random.choice(families[name]), slots, random)
        before, after = _body(random, bodies), _body(random, bodies)
        match random.randrange(4):
            case 0:
                yield _attack(attack, before + random.choice(("\n", " ", "\n\n")), "", f"attack {attack}")
            case 1:
                yield _attack(attack, "", random.choice(("\n", " ")) + after, f"attack {attack}")
            case _:
                yield _attack(
                    attack, before + random.choice(("\n", " ")), random.choice(("\n", " ")) + after, f"attack {attack}"
                )


def _attack(attack: str, before: str, after: str, group: str) -> Row:
    labels: dict[str, str | float] = {"injection": "injection", "harm": "benign"}
    where = {"injection": (len(before), len(before) + len(attack))}
    return Row(before + attack + after, labels, where=where, group=group, source="templates.attacks")


def benign(random: Random, bodies: Bodies) -> Iterator[Row]:
    """What looks like an attack and is none, and documents without one."""
    file = templates("benign")
    counts = {"near": 1100, "quote": 350, "security": 1000, "roleplay": 1500, "long": 500}
    for name, count in counts.items():
        for _ in range(count):
            text = roughened(filled(random.choice(file["families"][name]), file["slots"], random), random)
            yield Row(text, dict(BENIGN), spans=(), source=f"templates.benign.{name}")
    for _ in range(500):  # the disguise is no attack
        sentence = filled(random.choice(file["documents"]["sentence"]), file["documents"], random)
        yield Row(disguised(sentence, random), dict(BENIGN), source="templates.benign.disguised")
    for _ in range(3000):
        order = filled(random.choice(file["tasks"]["join"]), file["tasks"], random)
        text = holding(order, "body", _body(random, bodies)[: random.randint(40, 700)])
        yield Row(text, dict(BENIGN), source="templates.benign.tasks")
    for _ in range(1500):
        yield Row(_document(random, bodies), dict(BENIGN), source="templates.benign.documents")


def _document(random: Random, bodies: Bodies) -> str:
    return holding(random.choice(templates("benign")["documents"]["ask"]), "body", _body(random, bodies))


def _body(random: Random, bodies: Bodies) -> str:
    """A stretch of a document, a log, or somebody else's text."""
    file = templates("benign")["documents"]
    match random.randrange(4):
        case 0:
            lines = [filled(random.choice(file["log"]), file, random) for _ in range(random.randint(2, 8))]
            return "\n".join(lines)
        case 1 if bodies:
            return random.choice(bodies)[:900]
        case 2 if bodies:
            return random.choice(bodies)[:400]
        case _:
            sentences = " ".join(random.choice(file["sentence"]) for _ in range(random.randint(2, 7)))
            return f"{random.choice(file['opening'])}\n{sentences}"


def people(random: Random, bodies: Bodies) -> Iterator[Row]:
    """Personal data in sentences, forms, mails, tables and code, and the like without any."""
    file = templates("people")
    for number, template in enumerate(file["families"]["all"]):
        for _ in range(70):
            text, spans = marked(filled(template, file["slots"], random))
            if random.random() < 0.25:  # between other texts, as in a ticket's history
                head = filled(random.choice(file["families"]["none"]), file["slots"], random) + random.choice(
                    ("\n", " ")
                )
                text, spans = head + text, tuple((kind, len(head) + a, len(head) + b) for kind, a, b in spans)
            if random.random() < 0.06:
                text = text.lower() if len(text.lower()) == len(text) else text
            yield Row(text, dict(BENIGN), spans=spans, group=f"people {number}", source="templates.people")
    for number, template in enumerate(file["families"]["none"]):
        for _ in range(40):
            text = filled(template, file["slots"], random)
            yield Row(text, dict(BENIGN), spans=(), group=f"nobody {number}", source="templates.people.none")


def shapes(random: Random, bodies: Bodies) -> Iterator[Row]:
    """What kind of answer is asked for, and whether facts decide it."""
    file = templates("shapes")
    texts = tuple(body[:500] for body in bodies) or ("The order 17 was sent on Monday.",)
    slots = file["slots"]
    for shape, family in file["families"].items():
        for _ in range(700 if shape == "extraction" else 400):
            text = holding(
                roughened(filled(random.choice(family), slots, random), random), "body", random.choice(texts)
            )
            yield Row(text, {**BENIGN, "task_shape": shape}, source="templates.shapes")
    for label, family in (("needed", file["checkable"]["needed"]), ("not_needed", file["checkable"]["not"])):
        for _ in range(700):
            text = holding(
                roughened(filled(random.choice(family), slots, random), random), "body", random.choice(texts)
            )
            yield Row(text, {**BENIGN, "fact_check": label}, source="templates.checkable")


def harm(random: Random, bodies: Bodies) -> Iterator[Row]:
    """Harmful wishes, and harmless sentences that share their words."""
    file = templates("shapes")["harm"]
    for _ in range(700):
        near = roughened(filled(random.choice(file["near"]), file, random), random)
        yield Row(near, dict(BENIGN), source="templates.harm.near")
        wish = roughened(filled(random.choice(file["wish"]), file, random), random)
        labels: dict[str, str | float] = {"harm": "harm", "injection": "benign", "persona": "benign"}
        yield Row(wish, labels, source="templates.harm.wish")


WRITTEN: Final[tuple[Callable[[Random, Bodies], Iterator[Row]], ...]] = (
    domain,
    attacks,
    benign,
    people,
    shapes,
    harm,
)
