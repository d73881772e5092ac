"""Rows that are made of our own templates: what the sets lack, hard negatives above all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final

from msgspec import Struct

from edge_models.training.disguise import disguised
from edge_models.training.grammar import filled, holding, marked, roughened, templates
from edge_models.training.rows import BENIGN, Row


class Borrowed(Struct, frozen=True):
    """Texts by others that templates take in. bodies: what documents are made of. orders: short harmless requests, which an
    attack wants as well as a user, so that the wish itself tells nothing."""

    bodies: tuple[str, ...] = ()
    orders: tuple[str, ...] = ()


def domain(random: Random, borrowed: Borrowed) -> Iterator[Row]:
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


def morals(random: Random, borrowed: Borrowed) -> Iterator[Row]:
    """Everyday acts to be judged: ethics."""
    slots = templates("domain")["morals"]
    for _ in range(700):
        text = roughened(filled(random.choice(slots["frame"]), slots, random), random)
        yield Row(text, {**BENIGN, "domain": "philosophy"}, spans=(), source="templates.morals")


def attacks(random: Random, borrowed: Borrowed) -> Iterator[Row]:
    """Overriding instructions, alone, after a harmless text, and hidden in documents."""
    file = templates("attacks")
    slots = {**file["slots"], **file["german"], **file["spanish"], **file["french"]}
    slots["goal"] = [*slots["goal"], *random.sample(borrowed.orders, min(len(borrowed.orders), 4 * len(slots["goal"])))]
    families: dict[str, list[str]] = file["families"]
    counts = {"override": 900, "german": 420, "spanish": 120, "french": 120}
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
        before, after = _body(random, borrowed.bodies), _body(random, borrowed.bodies)
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


def benign(random: Random, borrowed: Borrowed) -> Iterator[Row]:
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
        text = holding(order, "body", _body(random, borrowed.bodies)[: random.randint(40, 700)])
        yield Row(text, dict(BENIGN), source="templates.benign.tasks")
    for _ in range(1500):
        yield Row(_document(random, borrowed.bodies), dict(BENIGN), source="templates.benign.documents")


def _document(random: Random, bodies: Sequence[str]) -> str:
    return holding(random.choice(templates("benign")["documents"]["ask"]), "body", _body(random, bodies))


def _body(random: Random, bodies: Sequence[str]) -> str:
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


def abroad(random: Random, borrowed: Borrowed) -> Iterator[Row]:
    """Requests in other languages, and words of them that stand alone."""
    file = templates("abroad")
    for name, count in (("german", 900), ("french", 500), ("spanish", 500), ("italian", 200), ("portuguese", 200)):
        slots = file[name]
        for _ in range(count):
            family = slots["near"] if "near" in slots and random.random() < 0.2 else slots["ask"]
            text = roughened(filled(random.choice(family), slots, random), random)
            yield Row(text, dict(BENIGN), spans=(), source=f"templates.abroad.{name}")
    for _ in range(700):
        text = filled(random.choice(file["words"]["frame"]), file["words"], random)
        if random.random() < 0.5:
            text = text[:1].upper() + text[1:]
        yield Row(text, dict(BENIGN), spans=(), source="templates.abroad.words")


def people(random: Random, borrowed: Borrowed) -> Iterator[Row]:
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


def shapes(random: Random, borrowed: Borrowed) -> Iterator[Row]:
    """What kind of answer is asked for, and whether facts decide it."""
    file = templates("shapes")
    texts = tuple(body[:500] for body in borrowed.bodies) or ("The order 17 was sent on Monday.",)
    slots = file["slots"]
    for shape, family in file["families"].items():
        for _ in range(700 if shape == "extraction" else 400):
            text = holding(
                roughened(filled(random.choice(family), slots, random), random), "body", random.choice(texts)
            )
            yield Row(text, {**BENIGN, "task_shape": shape}, source="templates.shapes")
    subjects = [each.strip() for topics in templates("domain")["topics"].values() for each in topics.split(";")]
    slots = {**slots, "subject": subjects}
    checkable = file["checkable"]
    for label, family, number in (
        ("needed", checkable["needed"], 700),
        ("not_needed", checkable["not"], 700),
        ("needed", checkable["asked"], 1500),
        ("not_needed", checkable["told"], 1500),
        ("not_needed", checkable["again"], 100),
    ):
        for _ in range(number):
            text = holding(
                roughened(filled(random.choice(family), slots, random), random), "body", random.choice(texts)
            )
            yield Row(text, {**BENIGN, "fact_check": label}, source="templates.checkable")


def harm(random: Random, borrowed: Borrowed) -> Iterator[Row]:
    """Harmful wishes, and harmless sentences that share their words."""
    file = templates("shapes")["harm"]
    for _ in range(700):
        near = roughened(filled(random.choice(file["near"]), file, random), random)
        yield Row(near, dict(BENIGN), source="templates.harm.near")
        wish = roughened(filled(random.choice(file["wish"]), file, random), random)
        labels: dict[str, str | float] = {"harm": "harm", "injection": "benign", "persona": "benign"}
        yield Row(wish, labels, source="templates.harm.wish")


WRITTEN: Final[tuple[Callable[[Random, Borrowed], Iterator[Row]], ...]] = (
    domain,
    morals,
    attacks,
    benign,
    abroad,
    people,
    shapes,
    harm,
)
