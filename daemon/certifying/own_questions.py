"""Questions of our own, made from patterns: what a user's machine calibrates with, since nobody else's words are shipped.

Their difficulty is spread on purpose, from what any model knows to what small ones get wrong: a calibration needs both.
Places, people and things in the texts to read are invented, so that the answer is in the text or nowhere.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from daemon.certifying.questions import Check, Question, style_of

SEED: Final = 7
_AUTHOR: Final = "nearloop"
_PEOPLE: Final = ("Anna", "Bram", "Chloe", "Dario", "Elif", "Farid", "Greta", "Hugo", "Ines", "Jonas", "Kaya", "Liam")
_SURNAMES: Final = ("Okafor", "Lindqvist", "Marchetti", "Tanaka", "Novak", "Delgado", "Whitmore", "Sørby", "Petrov")
_TOWNS: Final = ("Brackwater", "Elmsford", "Sandholm", "Greyfield", "Port Alder", "Kestrel Bay", "Windmere", "Tollgate")
_TRADES: Final = ("baker", "surveyor", "violinist", "plumber", "botanist", "pilot", "tailor", "beekeeper", "welder")
_THINGS: Final = ("apples", "stamps", "marbles", "books", "coins", "shells", "pencils", "tickets", "eggs", "tiles")
_COLOURS: Final = ("red", "green", "blue", "yellow", "white", "black", "purple", "orange")
_KINDS: Final[dict[str, tuple[str, ...]]] = {
    "animal": ("a horse", "a sparrow", "a salmon", "a beetle", "a goat", "a lynx", "a newt", "an otter"),
    "tool": ("a hammer", "a chisel", "a wrench", "a saw", "a plane", "a spanner", "an awl", "a mallet"),
    "fruit": ("a plum", "a mango", "a cherry", "a quince", "a lemon", "a fig", "a grape", "an apricot"),
    "piece of clothing": ("a coat", "a scarf", "a sock", "a glove", "a skirt", "a vest", "an apron", "a cape"),
    "musical instrument": ("a flute", "a cello", "a drum", "a harp", "a trumpet", "a lute", "an oboe", "a piano"),
    "vehicle": ("a bus", "a bicycle", "a truck", "a canoe", "a tram", "a sledge", "a ferry", "a van"),
}
_FACTS: Final = tuple(
    line.split("=")
    for line in """What is the capital of France?=Paris
What is the capital of Germany?=Berlin
What is the capital of Spain?=Madrid
What is the capital of Japan?=Tokyo
What is the capital of Egypt?=Cairo
What is the capital of Greece?=Athens
What is the capital of Kenya?=Nairobi
What is the capital of Peru?=Lima
What is the capital of Canada?=Ottawa
What is the capital of Australia?=Canberra
What is the capital of Norway?=Oslo
What is the capital of Mongolia?=Ulaanbaatar|Ulan Bator
What is the capital of Bhutan?=Thimphu
What is the capital of Uruguay?=Montevideo
What is the capital of Latvia?=Riga
What is the capital of Ghana?=Accra
What is the capital of Cuba?=Havana
What is the capital of Poland?=Warsaw
What is the capital of Portugal?=Lisbon
What is the capital of Thailand?=Bangkok
What is the capital of Burkina Faso?=Ouagadougou
What is the capital of Slovenia?=Ljubljana
What is the capital of Ireland?=Dublin
What is the capital of Vietnam?=Hanoi
What is the opposite of hot?=cold
What is the opposite of big?=small|little
What is the opposite of fast?=slow
What is the opposite of early?=late
What is the opposite of empty?=full
What is the opposite of strong?=weak
What is the opposite of frugal?=wasteful|extravagant|lavish
What is the opposite of ascend?=descend
What is the opposite of concave?=convex
What is the opposite of transparent?=opaque
What is the opposite of ancient?=modern|new
What is the opposite of cheap?=expensive|dear
What is the opposite of brave?=cowardly|timid|afraid|fearful
What is the opposite of wide?=narrow
What is the opposite of guilty?=innocent
What is the opposite of scarce?=abundant|plentiful|common
What is the plural of child?=children
What is the plural of mouse?=mice
What is the plural of goose?=geese
What is the plural of house?=houses
What is the plural of leaf?=leaves
What is the plural of ox?=oxen
What is the plural of criterion?=criteria
What is the plural of larva?=larvae
What is the plural of tooth?=teeth
What is the plural of sheep?=sheep
What is the plural of city?=cities
What is the plural of cactus?=cacti|cactuses
What is the past tense of go?=went
What is the past tense of buy?=bought
What is the past tense of sing?=sang
What is the past tense of swim?=swam
What is the past tense of teach?=taught
What is the past tense of seek?=sought
What is the past tense of walk?=walked
What is the past tense of freeze?=froze
What colour is grass?=green
What colour is snow?=white
What colour is coal?=black
What colour is a ripe banana?=yellow
What colour is an emerald?=green
What colour is a ruby?=red
What colour is amethyst?=purple|violet
What colour is cinnabar?=red
What day comes after Monday?=Tuesday
What day comes before Sunday?=Saturday
What day comes before Thursday?=Wednesday
What month comes after June?=July
What month comes before March?=February
What month comes after October?=November
What is a young dog called?=puppy|pup
What is a young cat called?=kitten
What is a young cow called?=calf
What is a young sheep called?=lamb
What is a young swan called?=cygnet
What is a young goat called?=kid
What is a young kangaroo called?=joey
Who wrote Hamlet?=Shakespeare
Who wrote Don Quixote?=Cervantes
Who wrote War and Peace?=Tolstoy
Who wrote Pride and Prejudice?=Austen
Who discovered penicillin?=Fleming
Who painted Guernica?=Picasso
Who painted The Starry Night?=van Gogh|Gogh
Who formulated the theory of relativity?=Einstein
What is the chemical symbol for gold?=Au
What is the chemical symbol for iron?=Fe
What is the chemical symbol for sodium?=Na
What is the chemical symbol for tin?=Sn
What is the largest planet of the solar system?=Jupiter
What planet is nearest to the sun?=Mercury
What is the largest ocean?=Pacific
What is the longest river of Africa?=Nile
What is the highest mountain on Earth?=Everest
In what country is Kyoto?=Japan
In what country is Marrakesh?=Morocco
In what country is Bergen?=Norway
In what country is Cusco?=Peru
In what country is Kraków?=Poland
In what country is Tartu?=Estonia
What language is spoken in Brazil?=Portuguese
What language is spoken in Austria?=German
What language is spoken in Iran?=Persian|Farsi
What currency is used in Japan?=yen
What currency is used in Switzerland?=franc
What currency is used in India?=rupee
What is frozen water called?=ice
What gas do plants take in from the air?=carbon dioxide|CO2
What organ pumps blood?=heart
What do bees make?=honey
What metal is liquid at room temperature?=mercury
What instrument measures temperature?=thermometer
What instrument measures air pressure?=barometer""".splitlines()
)


def own(count: int, seed: int = SEED) -> list[Question]:
    """So many different questions, of all kinds in turn. The same for the same seed; fewer if the patterns give no more."""
    chance = Random(seed)  # noqa: S311  # has to be repeatable, not secret
    made: dict[str, Question] = {}
    makers = [*_MAKERS.items()]
    for turn in range(count * 12):
        kind, make = makers[turn % len(makers)]
        text, accepted, check = make(chance)
        if text not in made and len(made) < count:
            id = f"own-{seed}-{len(made)}"
            made[text] = Question(id, f"own_{kind}", _AUTHOR, text, accepted, check, style_of(id))
    return list(made.values())


_Made = tuple[str, tuple[str, ...], Check]


def _fact(chance: Random) -> _Made:
    asked, answers = chance.choice(_FACTS)
    return asked, tuple(answers.split("|")), "words"


def _sum(chance: Random) -> _Made:
    top = chance.choice((9, 20, 99, 99, 999))
    first, second = chance.randint(1, top), chance.randint(1, top)
    sign = chance.choice("++-×") if top < 999 else chance.choice("+-")
    value = first + second if sign == "+" else first - second if sign == "-" else first * second
    return f"What is {first} {sign} {second}?", (str(value),), "number"


def _word_problem(chance: Random) -> _Made:
    who, other = chance.sample(_PEOPLE, 2)
    thing, many, more = chance.choice(_THINGS), chance.randint(3, 40), chance.randint(2, 12)
    match chance.randrange(4):
        case 0:
            text = f"{who} has {many} {thing} and gets {more} more. How many {thing} does {who} have now?"
            value = many + more
        case 1:
            text = f"{who} has {many + more} {thing} and gives {more} of them to {other}. How many {thing} are left?"
            value = many
        case 2:
            text = f"{who} has {more} boxes with {many} {thing} each. How many {thing} are there together?"
            value = more * many
        case _:
            text = (
                f"{who} has {many} {thing}. {other} has {more} more than {who}. How many {thing} do they have together?"
            )
            value = 2 * many + more
    return text, (str(value),), "number"


def _reading(chance: Random) -> _Made:
    first, second = chance.sample(_PEOPLE, 2)
    name, other = chance.sample(_SURNAMES, 2)
    town, elsewhere, third = chance.sample(_TOWNS, 3)
    trade, second_trade = chance.sample(_TRADES, 2)
    colour, second_colour = chance.sample(_COLOURS, 2)
    year = chance.randint(1871, 1990)
    passage = (
        f"{first} {name} was born in {town} in {year} and worked there as a {trade}. In {year + 24} the family moved to"
        f" {elsewhere}, into a {colour} house by the river. The neighbour, {second} {other}, was a {second_trade}"
        f" from {third} who lived in the {second_colour} house."
    )
    asked, answer = chance.choice(
        (
            (f"Where was {first} {name} born?", town),
            (f"What did {first} {name} work as?", trade),
            (f"Where did the family move to in {year + 24}?", elsewhere),
            (f"What colour was the house of the {name} family?", colour),
            ("Who was the neighbour?", f"{second} {other}"),
            (f"What was the trade of {second} {other}?", second_trade),
            (f"Which town did the {second_trade} come from?", third),
            (f"In which year was {first} {name} born?", str(year)),
        )
    )
    return f"{passage}\n{asked}", (answer,), "words"


def _yes_no(chance: Random) -> _Made:
    if chance.random() < 0.5:
        first, second = chance.sample(range(1, chance.choice((20, 200, 2000))), 2)
        more = chance.choice((True, False))
        word = "greater" if more else "less"
        return f"Is {first} {word} than {second}?", ("yes" if (first > second) == more else "no",), "yes_no"
    kind, other = chance.sample(list(_KINDS), 2)
    right = chance.random() < 0.5
    thing = chance.choice(_KINDS[kind if right else other])
    article = "an" if kind[0] in "aeiou" else "a"
    return f"Is {thing} {article} {kind}?", ("yes" if right else "no",), "yes_no"


def _choice(chance: Random) -> _Made:
    kinds = chance.sample(list(_KINDS), chance.choice((3, 4)))
    options = [chance.choice(_KINDS[kind]) for kind in kinds]
    place = chance.randrange(len(kinds))
    article = "an" if kinds[place][0] in "aeiou" else "a"
    listed = "\n".join(f"{'ABCD'[number]}. {option}" for number, option in enumerate(options))
    return f"Which of these is {article} {kinds[place]}?\n{listed}", ("ABCD"[place],), "choice"


_MAKERS: Final[dict[str, Callable[[Random], _Made]]] = {
    "facts": _fact,
    "sums": _sum,
    "reading": _reading,
    "problems": _word_problem,
    "yes_no": _yes_no,
    "choice": _choice,
}
