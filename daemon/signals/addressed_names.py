"""Persons, told by how they are addressed: `Frau …`, `M. …`, `Sra. …`, by introductions, and by a first name that many
people have with another name behind it. (`… 様`, `… 씨` and `… 先生`: names_unspaced.py.)

The trained head reads names in English sentences. These rules read the forms of other languages, in which it finds next to
none (`nearloop bench leak` prints how many they find). A name without any such sign is not found.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from daemon.signals.base import Found
from daemon.signals.first_names import FIRST_NAMES
from daemon.signals.overlaps import Vocabulary, places

LABEL: Final = "PERSON"

# ---- Latin letters --------------------------------------------------------------------------------------------------

_TITLES: Final = (
    *(
        "Mr",
        "Mrs",
        "Ms",
        "Mx",
        "Dr",
        "Prof",
        "Herr",
        "Herrn",
        "Frau",
        "Fräulein",
        "Kollege",
        "Kollegin",
        "Kollegen",
        "Mandant",
    ),
    *(
        "Mandantin",
        "Patientin",
        "Patienten",
        "Nachbarin",
        "Nachbar",
        "Hallo",
        "Lieber",
        "Liebe",
        "M.",
        "Mme",
        "Mlle",
        "Monsieur",
    ),
    *(
        "Madame",
        "Mademoiselle",
        "Maître",
        "docteur",
        "Docteur",
        "professeur",
        "Bonjour",
        "Bonsoir",
        "Cher",
        "Chère",
        "voisine",
    ),
    *(
        "voisin",
        "collègue",
        "patiente",
        "Sr.",
        "Sra.",
        "Srta.",
        "Señor",
        "Señora",
        "Señorita",
        "señor",
        "señora",
        "Don ",
        "Doña",
    ),
    *(
        "don ",
        "doña",
        "Dra.",
        "doctor ",
        "doctora",
        "Hola",
        "Estimado",
        "Estimada",
        "Querido",
        "Querida",
        "vecina",
        "vecino",
    ),
    *("paciente", "compañera", "compañero", "Sig.", "Sig.ra", "Signor", "Signora", "Dott.", "Senhor", "Senhora"),
)
"""What stands before a name, as it is written; a stop and titles may follow."""
_INTRODUCTIONS: Final = (
    *("my name is ", "mein name ist ", "ich heiße ", "ich heisse ", "je m'appelle ", "je m’appelle ", "mon nom est "),
    *("me llamo ", "mi nombre es ", "mi chiamo ", "meu nome é ", "me chamo "),
)
_BETWEEN: Final = re.compile(
    r"\.? (?:(?:Dr|Prof|Dipl|Ing|med|jur|Dra|Dott|habil)\.(?:-Ing\.)? ?|(?:Doktor|Professor|Docteur) ){0,3}"
)
_NAME_WORD: Final = re.compile(r"[^\W\d_](?:[^\W\d_]|['’-](?=[^\W\d_])){1,24}|[^\W\d_]\.(?:-[^\W\d_]\.)?")
_PARTICLE: Final = re.compile(
    r"(?:von(?: der| dem| den)?|van(?: der| den| de)?|zu[mr]?|de(?: la| las| los| l')?|del|della|di|da|do|dos|du|des|le|la|"
    r"y|e|bin|ibn|al|el|ter|ten) (?=[^\W\d_])|d['’](?=[^\W\d_])|(?:Le|La|De|Du|Des|Del|El|Di|Da|Von|Van) (?=[^\W\d_a-z])"
)
_NO_NAMES_WORDS: Final = """
sr sra srta herr herrn frau mme mlle mr mrs ms dr prof don doña señor señora monsieur madame welt world monde mundo
zusammen alle alles allerseits leute team kunde kunden kundin kollegen kolleginnen freunde community tous toutes
amis client clients cliente todos todas equipo amigo amigos señores señoras herren damen präsident präsidentin
minister ministerin kanzler kanzlerin direktor direktorin doktor professor professorin richter richterin
bürgermeister président présidente ministre maire directeur directrice juge presidente ministro ministra alcalde
director directora juez bonjour merci danke gracias sie ihr ich wir der die das ein eine the a an ist hat und oder
aber nicht si no el la los las le les un une des dans mit für von zum zur auf bei aus january monday montag lundi
lunes claude chatgpt nearloop
"""
_NO_NAMES: Final = frozenset(_NO_NAMES_WORDS.split())
_PLACES_BESIDE_WORDS: Final = """
Straße Strasse Str Platz Weg Allee Gasse Ring Ufer Haus Universität Schule Gymnasium Stiftung Preis Museum Hotel
Klinik Center Centre University School College Street Road Avenue Award Prize Institute Museum Park Code Desktop
"""
_PLACES_BESIDE: Final = frozenset(_PLACES_BESIDE_WORDS.split())


def addressed_names(text: str, lower: str, vocabulary: Vocabulary) -> Iterator[Found]:
    """lower: the text in small letters, at the same length. vocabulary: of `lower`."""
    words = vocabulary.words
    for word in words & _BY_WORD.keys():
        for title in _BY_WORD[word]:
            yield from _behind(text, title)
    for word in words & _INTRODUCED.keys():
        for introduced in _INTRODUCED[word]:
            for at in places(lower, (introduced,)):
                yield from _name(text, at + len(introduced))
    if words & _SMALL_WORDS and (names := words & _FIRST_BY_WORD.keys()):
        yield from _first_names(text, lower, sorted(_FIRST_BY_WORD[name] for name in names))


def _by_last_word(forms: Iterable[str]) -> dict[bytes, tuple[str, ...]]:
    found: dict[bytes, tuple[str, ...]] = {}
    for form in forms:
        word = _LETTERS.findall(form.lower())[-1].encode()
        found[word] = (*found.get(word, ()), form)
    return found


_LETTERS: Final = re.compile(r"[^\W\d_]+")
_BY_WORD: Final = _by_last_word(_TITLES)
_INTRODUCED: Final = _by_last_word(_INTRODUCTIONS)
_FIRST_BY_WORD: Final = {name.lower().encode(): name for name in FIRST_NAMES}


def _behind(text: str, title: str) -> Iterator[Found]:
    for at in places(text, (title,)):
        if at and (text[at - 1].isalnum() or text[at - 1] in "_'’"):
            continue
        end = at + len(title.rstrip())
        between = _BETWEEN.match(text, end)
        if between:
            yield from _name(text, between.end(), most=2 if title in _GERMAN else 4)


_GERMAN: Final = frozenset({"Herr", "Herrn", "Frau", "Kollege", "Kollegin", "Kollegen", "Hallo", "Liebe", "Lieber"})
"""After these a noun with its capital may follow a name."""


def _name(text: str, at: int, most: int = 4, least: int = 1) -> Iterator[Found]:
    """A name that begins at a place, if one does."""
    start, count, end = at, 0, at
    while count < most:
        particle = _PARTICLE.match(text, at)
        word = _NAME_WORD.match(text, particle.end() if particle else at)
        if word is None or not _is_name_word(word[0]):
            break
        end, count = word.end(), count + 1
        if text[end : end + 1] != " ":
            break
        at = end + 1
    if count >= least and end - start >= 2 and text[end : end + 1] not in ("_", "("):
        yield Found(start, end, LABEL)


def _is_name_word(word: str) -> bool:
    if not word[0].isupper() or (len(word) > 3 and word.isupper()):
        return False
    return word.lower() not in _NO_NAMES and word not in _PLACES_BESIDE


_SMALL: Final = """
und ist nicht der das dem des im am ich sie wir bei nach oder sich für von den ein eine zum zur hat mit wird est la
le du je les une pour dans avec qui pas que au aux mon ma el los las del con por para una su está ha mi
"""
_SMALL_WORDS: Final = frozenset(_SMALL.encode().split())
_AROUND_CHARS: Final = 120
_GLUE: Final = "./@'’-_"


def _is_abroad(lower: str, at: int) -> bool:
    """Whether words of German, French or Spanish stand in the same line: in English the trained head knows better."""
    start = max(lower.rfind("\n", 0, at) + 1, at - _AROUND_CHARS)
    end = lower.find("\n", at, at + _AROUND_CHARS)
    line = lower[start : end if end >= 0 else at + _AROUND_CHARS]
    return any(word.encode() in _SMALL_WORDS for word in line.split())


def _first_names(text: str, lower: str, names: Iterable[str]) -> Iterator[Found]:
    """`Sabine Kowalski`, where nobody says who she is."""
    for at in places(text, names):
        if at and (text[at - 1].isalnum() or text[at - 1] in _GLUE):
            continue
        if _is_abroad(lower, at):
            yield from _name(text, at, most=3, least=2)
