"""Facts of a text by which somebody who isn't named could be guessed, sentence by sentence.

Theory of operation. A role alone is nobody's, and so is a town; `the only cardiologist of a town of 900 people` is
one person's. So what counts is how many kinds of facts come together about somebody: who they are by role or
relation, what sets them apart (only, first, former), whose they are (my, our), place, date, age, size or sum, a rare
event, a condition, and whether much is told of them. Kinds are told by words and forms, in English; nobody's labels
were there to measure them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal

from msgspec import Struct

from daemon.signals.implicit.heads import ORGANIZATIONS, PERSONS
from daemon.signals.implicit.particular import TELLS_AT_LENGTH, is_generic, particulars

Kind = Literal[
    "person", "organization", "apart", "place", "date", "age", "size", "event", "condition", "near", "told", "self"
]


class Fact(Struct, frozen=True):
    """One fact. start, end: in characters. instead: what may be said in its place; empty: nothing; None: it can
    stay where the rest goes.
    """

    start: int
    end: int
    kind: Kind
    instead: str | None = None


def _alternatives(words: dict[str, str]) -> str:
    return "|".join(re.escape(word).replace("\\-", "[ -]") for word in sorted(words, key=len, reverse=True))


SENTENCE: Final = re.compile(
    r"(?:[^.!?\n]|[.](?=\w)|(?<=\b(?:Dr|Mr|Ms|St|vs|No))\.|(?<=\bMrs)\.|(?<=\b[A-Z])\.)+(?:[.!?]+|\n|$)"
)
_MONTH: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b"
)
_DAY: Final = r"(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)"
_COUNT: Final = (
    r"(?:\d[\d,.]*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|a few|several|"
    r"a couple of)"
)
_ORDINAL: Final = r"\d{1,2}(?:st|nd|rd|th)?"
_YEAR: Final = r"(?:19|20)\d\d"
_SEASON: Final = r"(?:spring|summer|fall|autumn|winter)"
_DATES: Final = (
    (
        re.compile(
            r"\b(?:(?:in|on|since|by|until|from|during|before|after|around)\s+)?(?:early |late |mid-?)?"
            rf"(?:{_DAY},?\s+)?(?:(?:the\s+)?{_ORDINAL}(?:\s+of)?\s+)?{_MONTH}"
            rf"(?:\s+{_ORDINAL}(?!\d))?(?:,?\s+(?:of\s+)?{_YEAR})?(?!\d)"
        ),
        "some time ago",
    ),
    (
        re.compile(
            rf"\b(?:in|since|by|until|during|before|after|around|of)\s+(?:early |late |mid-?|the {_SEASON} of )?{_YEAR}\b"
            r"(?!\s*(?:people|employees|students))"
        ),
        "some time ago",
    ),
    (re.compile(r"\b(?:in|on|since|by|until)?\s*\d{1,4}[/.-]\d{1,2}[/.-]\d{2,4}\b"), "some time ago"),
    (
        re.compile(
            r"\b(?:(?:in|on|since|during|over)\s+)?(?:last|this past|the past|earlier this|late last|early last|this)\s+"
            rf"(?:week|month|year|{_SEASON}|quarter|semester|season|night|decade|weekend|{_DAY}|{_MONTH})\b"
        ),
        "recently",
    ),
    (
        re.compile(
            rf"\b(?:(?:about|around|almost|nearly|over|just)\s+)?{_COUNT}\s+(?:days?|weeks?|months?|years?|decades?)\s+"
            r"(?:ago|earlier|later|before)\b"
        ),
        "some time ago",
    ),
    (re.compile(rf"\b(?:on|last|this)\s+{_DAY}\b"), "recently"),
    (
        re.compile(
            r"\bfor\s+(?:(?:about|around|almost|nearly|over|more than|the (?:last|past))\s+)*"
            rf"{_COUNT}\s+(?:years?|decades?|months?)\b"
        ),
        "for some time",
    ),
    (re.compile(r"\b(?:yesterday|the other day|last night|in the (?:19|20)?\d0s)\b"), "recently"),
)
"""What says when, and what may be said instead."""
_AGE: Final = re.compile(
    r"\b(?:(?P<before>\d{1,3}|[a-z]+teen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|"
    r"ninety)(?:-\w+)?)[- ]years?[- ]old|"
    r"(?:aged|age(?: of)?|at the age of|turned|turning)\s+(?P<behind>\d{1,3})(?!\d|[.,]\d|%))\b",
    re.IGNORECASE,
)
_SIZE: Final = re.compile(
    r"(?:[$€£]\s?\d[\d,.]*(?:\s?(?:k|m|bn|b|thousand|million|billion|trillion))?\b|\b(?:about |around |over |"
    r"nearly |roughly |some |just )?"
    r"\d[\d,.]*(?:\s?(?:k|m|bn|thousand|million|billion))?[- ](?:people|employees|persons?|residents|"
    r"inhabitants|students|pupils|beds?|members|"
    r"staff|workers|customers|patients|followers|subscribers|dollars|euros|pounds|usd|eur|acres|hectares|stores|"
    r"branches|locations|"
    r"households|children|kids|siblings|units|seats|points|goals|countries)\b|\b(?:a (?:tiny|small|mid-?sized|"
    r"large|little|rural|remote) "
    r"(?:town|village|city|county|island|hamlet|community|team|office|group)(?: of [\d,]+(?: people)?)?))",
    re.IGNORECASE,
)
_APART: Final = re.compile(
    r"\b(?:(?:the|his|her|their|its|our|my|only|very)\s+)?(?:only|first|sole|lone|youngest|oldest|eldest|"
    r"tallest|largest|biggest|smallest|richest|highest-paid|"
    r"longest-serving|top-selling|best-selling|most [a-z]+|second-largest|third-largest|former|ex-(?=\w)|"
    r"outgoing|incoming|newly[- ](?:appointed|elected|hired)|"
    r"award-winning|world-famous|famous|well-known|renowned|notorious|disgraced|retired|openly [a-z]+|"
    r"one of (?:the )?(?:few|only|two|three|four|five))\b",
    re.IGNORECASE,
)
_PLACE: Final = re.compile(
    r"\b(?P<in>in|at|near|from|outside|of|across|around|to|throughout|based in|headquartered in|"
    r"located in)\s+(?:the\s+)?(?:(?:north|south|east|west|"
    r"central|northern|southern|eastern|western|downtown|rural|upstate|suburban|inner|"
    r"greater)[ -]?)*(?P<name>[A-Z][\w'’-]+(?:[ -](?:of |upon |on |the )?[A-Z][\w'’-]+){0,3}"
    r"(?:,\s+[A-Z][\w-]+(?: [A-Z][\w-]+)?)?)(?:\s+(?:area|region|county|district|office|branch|campus|valley|"
    r"suburbs|coast|metro))?"
    r"|\b(?:in|at|near|from|outside) (?:a|an|our|the|my|their) (?:(?:small|tiny|remote|rural|coastal|mountain|"
    r"border|suburban|northern|southern|"
    r"eastern|western|midwestern|little|quiet|local|mid-?sized)[ -])+(?:town|village|city|county|island|suburb|"
    r"hamlet|community|state|region|province|district)\b"
)
_NATION: Final = re.compile(
    r"\b(?:American|British|English|Scottish|Welsh|Irish|French|German|Italian|Spanish|Portuguese|Dutch|Belgian|"
    r"Swiss|Austrian|Polish|Czech|Russian|"
    r"Ukrainian|Turkish|Greek|Swedish|Norwegian|Danish|Finnish|Icelandic|Canadian|Mexican|Brazilian|"
    r"Argentin(?:e|ian)|Chilean|Colombian|Chinese|Japanese|"
    r"Korean|Indian|Pakistani|Bangladeshi|Vietnamese|Thai|Filipino|Indonesian|Australian|Nigerian|Kenyan|"
    r"Egyptian|South African|Israeli|Iranian|"
    r"Saudi|Syrian|Lebanese|Afghan|Californian|Texan|Bavarian|Scandinavian|European|Asian|African|"
    r"Latin American|Silicon Valley|Wall Street|Hollywood|"
    r"Ivy League|Fortune \d+|Midwestern|Southern|Nordic)\b"
)
_LANGUAGE: Final = re.compile(r"\b(?:in|to|into|from)\s$")
_EVENT: Final = re.compile(
    r"\b(?:resign(?:ed|ation|s|ing)|fired|sacked|laid off|ousted|step(?:ped|s|ping) down|suspend(?:ed|s)|"
    r"promot(?:ed|ion)|retire[ds]?|hired away|"
    r"arrest(?:ed|s)|indict(?:ed|ment)|convict(?:ed|ion)|sued|lawsuit|acquitted|charged with|fraud|embezzl\w+|"
    r"scandal|affair|misconduct|harass\w+|"
    r"bankrupt\w*|merger|merg(?:ed|ing)|acqui(?:red|sition|ring)|ipo|went public|layoffs?|recall(?:ed)?|outage|"
    r"breach|hack(?:ed)?|leak(?:ed|s)?|whistle-?bl\w+|"
    r"won|wins|winning|award(?:ed)?|record|medal|championship|olympics?|elected|election|scored|record-breaking|"
    r"viral|documentary|"
    r"memoir|accident|crash(?:ed)?|explosion|fire|flood|earthquake|shooting|stabb\w+|assault\w*|kidnap\w*|"
    r"rescued|surviv(?:ed|ing|or)|died|death|suicide|"
    r"overdose|divorc\w+|married|marri(?:age|ed)|engaged|pregnan\w+|gave birth|miscarr\w+|adopt(?:ed|ion)|"
    r"custody|surgery|transplant|amputat\w+|diagnos\w+|hospitali[sz]ed|"
    r"rehab|relapse|deport\w*|evict(?:ed|ion)|strike|walkout|protest(?:ed)?|invent(?:ed|or)|patent(?:ed)?|"
    r"discover(?:ed|y)|founded|cofounded|launched|sold (?:his|her|their|the))\b",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\b(?:cancer|leuk[a]?emia|tumou?r|diabet\w+|hiv|aids|epilep\w+|autis\w+|adhd|ptsd|bipolar|depress(?:ion|"
    r"ed)|schizophren\w+|anorexi\w+|bulimi\w+|"
    r"alcoholi\w+|addict\w*|dementia|alzheimer'?s?|parkinson'?s?|multiple sclerosis|cystic fibrosis|lupus|"
    r"asthma|stroke|heart attack|infertil\w+|ivf|disab(?:led|ility)|"
    r"wheelchair|blind|deaf|amputee|transgender|trans (?:man|woman)|non-?binary|gay|lesbian|bisexual|queer|"
    r"muslim|jewish|catholic|mormon|buddhist|hindu|sikh|"
    r"atheist|black|hispanic|latin[oax]|asian|white|native american|indigenous|undocumented|immigrant|refugee|"
    r"veteran|single (?:mother|father|mom|dad|parent)|"
    r"widow(?:ed|er)?|female|male|pregnant|bald|tattoo\w*|red-?haired|left-handed)\b",
    re.IGNORECASE,
)
_SOMEBODY: Final = re.compile(
    r"\b(?:[Hh]e|[Ss]he|[Tt]his person|[Tt]hat person|[Ss]omeone who|[Ss]omebody who|[Aa]nyone who)\b"
)
"""Who is spoken of without a role: that replaces nothing, since `he` tells nothing."""
_SELF: Final = re.compile(r"\b(?:I|I'm|I’m|I've|I’ve|me|my|mine|we|our|us)\b")
_DETERMINER: Final = r"(?:the|a|an|our|my|his|her|their|this|that|one|its|your|another|some|[A-Z]\w+[’']s|\w+[’']s)"
_ADJECTIVES: Final = (
    r"(?:(?!(?:who|that|which|is|was|has|had|of|and|or|to|in|at|for|with|from|as|if|when|while|by|the|a|an|our|my|his|her|"
    r"their)\b)[\w’'-]+,?\s+){0,6}?"
)
_HEADS: Final = f"{_alternatives(PERSONS)}|{_alternatives(ORGANIZATIONS)}"
_HEAD: Final = re.compile(
    rf"\b(?:{_DETERMINER}\s+{_ADJECTIVES}|(?:former|ex-|one of (?:the|our|my|their)\s+)\s*{_ADJECTIVES})"
    rf"(?P<head>(?:{_HEADS})s?)\b(?:[ -](?P<last>(?:{_HEADS})s?)\b)*(?:[’']s)?",
    re.IGNORECASE,
)
VERB: Final = (
    r"is|are|was|were|has|have|had|will|would|can|could|should|may|might|must|did|does|do|isn['’]t|wasn['’]t|"
    r"hasn['’]t|won['’]t|didn['’]t|doesn['’]t|"
    r"wants?|wanted|needs?|needed|says?|said|told|tells?|asks?|asked|thinks?|thought|keeps?|kept|gets?|got|gave|"
    r"gives?|made|makes?|took|takes?|came|comes?|went|"
    r"goes|left|leaves|lost|loses|won|wins|died|dies|sent|sends|wrote|writes|works?|worked|lives?|lived|became|"
    r"becomes|announced|decided|refused|claims?|claimed|"
    r"admitted|resigned|quit|fired|hired|sued|accused|confessed|complained|reported|filed|received|called|"
    r"emailed|started|began|stopped|moved|joined|tried|turned|"
    r"discovered|invented|broke|signed|sold|bought|published|tweeted|posted|revealed|denied|testified|suffers?|"
    r"suffered|hates?|likes?|loves?|seems?"
)
_ENDS: Final = (
    r"\s(?:and (?:I|I['’]\w+|we|he|she|they|it|the|then|is|was|has|had|wants?|needs?)|but|because|so|when|while|"
    r"after|before|if|about|"
    r"asking|saying|telling|requesting|explaining)\b"
)
_BEHIND: Final = re.compile(
    r"(?:\s+(?:of|at|in|from|with(?! an? (?:budget|limit|deadline|focus|goal)\b)|near|on|"
    rf"and(?! (?:I|I['’]\w+|we|he|she|they|it|the|then|is|was|has)\b)|&|who|"
    rf"whom|whose|that|which|based|headquartered|located|"
    rf"working|living|serving|specializing|specialising|known|responsible|covering|outside|behind|across|within|"
    rf"between)\b)(?P<rest>(?:(?!{_ENDS})[^,.;:?!\n()—–])*)"
)
_RELATIVE: Final = re.compile(r",?\s+(?:who|whom|whose|that|which)\b")
_ASIDE: Final = re.compile(
    r",\s+(?:who|whose|whom|which|a|an|the|formerly|known|based|aged?|\d)\b[^.;:?!\n]*?(?=,|[.;:?!\n]|$)"
)
_NEAR: Final = re.compile(r"(?:my|our|his|her|their)\b", re.IGNORECASE)
AT_LENGTH: Final = 8
"""So many words about somebody tell more than a role."""
_SPACES: Final = re.compile(r"\s+")
_DO: Final = (
    "write|draft|summari[sz]e|explain|help|suggest|give|create|compose|rewrite|rephrase|translate|prepare|generate|review|"
    "analy[sz]e|list|tell|advise|recommend|find|make|plan|describe|edit|proofread|respond|reply|answer|check|fix|improve|"
    "outline|brainstorm|propose|compare|show|design|provide|identify|evaluate|assess|estimate|calculate|research|develop|"
    "mail|e-?mail|send|schedule|remind|announce|notify|inform|arrange|book|organi[sz]e|process|update|add|ensure|forward|"
    "investigate|handle|escalate|approve|consider|let me know|let us know|clarify|verify|confirm|determine|look into|need|"
    "continue|classify|extract|name|turn|convert|shorten|polish|build|discuss"
)
_AUX: Final = "should|shall|can|could|would|will|may|might|must|do|does|did|is|are|was|were|has|have"
ASKS: Final = re.compile(
    rf"(?:^|[,;:.!?—–)]\s+|\b(?:and|but|so|then|please|kindly|also|now|just)\s+|\s-\s)\s*(?P<ask>(?:please\s+|kindly\s+|also\s+)?"
    rf"(?:(?:{_DO})\b(?!\s+(?:was|is|had|has)\b)|(?:how|what|why|where|when|which|whom|whose|who)\b(?=[^.!\n]*\?)|"
    rf"(?:{_AUX})\s+(?:I|we|you|it|he|she|they|there|this|that|a|an|the|my|our|such|someone|anyone)\b(?=[^.!\n]*\?)))"
    rf"|(?P<want>\b(?:I|we)(?:['’]d|\s+would)?\s+(?:really\s+)?(?:like|need|want|am looking for)\s+(?:to|a|an|some|your|"
    rf"help|advice|you)\b|\b(?:I['’]m|I am|we['’]re|we are)\s+(?:looking for|trying to|preparing|writing)\b|"
    rf"\bhow (?:do|can|should) (?:I|we)\b|\bwhat (?:do|can|should) (?:I|we)\b)",
    re.IGNORECASE,
)
"""Where a clause begins that asks for something."""


def facts_in(text: str, start: int, end: int) -> list[Fact]:
    """The facts of one sentence, in order, none inside another of its kind; they may lie in a description."""
    found = list(_descriptions(text, start, end))
    for pattern, instead in _DATES:
        found += [_trimmed(text, *each.span(), "date", instead) for each in pattern.finditer(text, start, end)]
    for each in _AGE.finditer(text, start, end):
        found.append(Fact(*each.span(), "age", _decade(each["before"] or each["behind"])))
    found += [Fact(*each.span(), "size", _magnitude(each[0])) for each in _SIZE.finditer(text, start, end)]
    for each in _PLACE.finditer(text, start, end):
        if not each["name"] or _is_place(each["in"].lower(), each["name"]):
            found.append(Fact(*each.span(), "place", "somewhere"))
    found += [
        Fact(*each.span(), "place", None if _LANGUAGE.search(text, max(0, each.start() - 6), each.start()) else "")
        for each in _NATION.finditer(text, start, end)
    ]
    for each_start, each_end in particulars(text, start, end):
        if not any(fact.kind in ("person", "organization") and fact.start <= each_start < fact.end for fact in found):
            found.append(Fact(each_start, each_end, "person", "someone"))
        found.append(Fact(each_start, each_end, "told"))
    found += [Fact(*each.span(), "person") for each in _SOMEBODY.finditer(text, start, end)]
    for pattern, kind in ((_APART, "apart"), (_EVENT, "event"), (_CONDITION, "condition"), (_SELF, "self")):
        found += [Fact(*each.span(), kind, None) for each in pattern.finditer(text, start, end)]  # type: ignore[arg-type]
    if _narrates(text[start:end]) and any(
        fact.kind == "person" or (fact.kind == "organization" and text.count(" ", fact.start, fact.end) > 1)
        for fact in found
    ):
        found.append(_trimmed(text, start, end, "told", None))
    return sorted(found, key=lambda fact: (fact.start, -fact.end))


def _narrates(sentence: str) -> bool:
    """Whether a sentence tells something at length, and asks for nothing."""
    return len(_SPACES.split(sentence.strip())) >= TELLS_AT_LENGTH and not ASKS.search(sentence)


def _descriptions(text: str, start: int, end: int) -> Iterator[Fact]:
    """Words that say who somebody is, with all that is said of them in the same breath."""
    at = start
    while head := _HEAD.search(text, at, end):
        word = _SPACES.sub("-", (head["last"] or head["head"]).lower())
        kind: Kind = "person"
        instead = PERSONS.get(word) or PERSONS.get(word.removesuffix("s"))
        if instead is None:
            kind, instead = "organization", ORGANIZATIONS.get(word) or ORGANIZATIONS.get(word.removesuffix("s"))
        stop = _end_of(text, head.end(), end, opens=not text[start : head.start()].strip())
        yield Fact(head.start(), stop, kind, instead or "someone")
        if _NEAR.match(text, head.start()):
            yield Fact(head.start(), stop, "near")
        described = text[head.start() : stop]
        if len(_SPACES.split(described)) >= AT_LENGTH and not is_generic(described):
            yield Fact(head.start(), stop, "told")
        at = max(stop, head.end())


def _end_of(text: str, at: int, end: int, opens: bool) -> int:
    """Where a description ends that goes on behind its head."""
    while behind := _BEHIND.match(text, at, end):
        relative = _RELATIVE.match(text, at, end) is not None
        verbs = list(re.finditer(rf"\b(?:{VERB})\b", text[behind.start("rest") : behind.end("rest")]))
        skip = 1 if relative else 0
        if relative and verbs and len(verbs) > 1 and verbs[1].start() - verbs[0].end() <= 1:
            skip = 2  # `who has been`, `who had left`
        if len(verbs) > skip and (opens or not relative):
            return behind.start("rest") + len(
                text[behind.start("rest") : behind.start("rest") + verbs[skip].start()].rstrip()
            )
        at = behind.end("rest")
    while aside := _ASIDE.match(text, at, end):
        at = aside.end()
        if re.match(rf",\s+(?:{VERB})\b", text[at:end]):
            at += 1
            break
    while at > 0 and text[at - 1].isspace():
        at -= 1
    return at


def _trimmed(text: str, start: int, end: int, kind: Kind, instead: str | None) -> Fact:
    while start < end and text[start].isspace():
        start += 1
    return Fact(start, end, kind, instead)


_NO_PLACES: Final = frozenset(
    [
        "I",
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
        "English",
        "French",
        "German",
        "Spanish",
        "Python",
        "Java",
        "JavaScript",
        "Excel",
        "Word",
        "PowerPoint",
        "Go",
        "Rust",
        "SQL",
        "HTML",
        "CSS",
        "React",
        "Linux",
        "Windows",
    ]
)


def _is_place(before: str, name: str) -> bool:
    first = name.split()[0].rstrip(",")
    return first not in _NO_PLACES and not (before in ("of", "to", "around") and name.isupper() and len(name) < 4)


def _decade(age: str) -> str:
    if not age.isdigit():
        return "of some age"
    years = int(age)
    return "quite young" if years < 18 else "very old" if years >= 90 else f"in their {years // 10 * 10}s"


def _magnitude(said: str) -> str:
    """A size as its order: what is counted isn't said."""
    number = re.search(r"\d[\d,.]*", said)
    if number is None:
        return (
            "a place of some size"
            if re.search(r"town|village|city|county|island|hamlet|community", said)
            else "a group"
        )
    large = re.search(r"million|billion|trillion|thousand|\d\s?(?:k|m|bn|b)\b", said, re.IGNORECASE)
    money = said.lstrip()[:1] in "$€£" or re.search(r"dollars|euros|pounds|usd|eur", said, re.IGNORECASE)
    if money:
        return "a large sum" if large or len(number[0].strip(",.")) > 4 else "some money"
    return "very many" if large or len(number[0].strip(",.")) > 3 else "some"
