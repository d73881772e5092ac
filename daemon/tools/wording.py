"""What the words of a tool's name, description and parameters say of its side effects.

Only what begins like reading, and has nothing about it that sounds like more, reads. The worst word counts. Nothing that
tells is `unknown`.
"""

from __future__ import annotations

import re
from typing import Final

from daemon.settings import Effect
from daemon.tools.ranks import WORSE, worst
from daemon.tools.tables import by_word, listed
from providers.contract import Tool

_PARTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SENTENCE: Final = re.compile(r"[^.!?\n]{0,300}")
_NAMES: Final = by_word(
    {
        "irreversible": """
            approve archive ban book buy cancel charge checkout clear close commit delete deploy destroy disable discard drop
            email erase fire format invite kill mail merge message order overwrite pay payment post publish purchase purge
            refund reject remove reply reserve reset revoke sell send sms stop submit terminate trade transfer trash tweet
            uninstall unsubscribe wipe withdraw
        """,
        "execute": """
            call command eval exec execute install invoke launch process program run script shell spawn start sudo terminal
        """,
        "network": """
            api browse browser clone connect crawl curl download http https ping pull push request requests scrape ssh sync
            upload url web webhook website
        """,
        "write": """
            add append apply assign change copy create edit enable generate insert make mkdir modify move patch put rename
            replace save schedule set store touch update upsert write
        """,
        "read": """
            analyze calc calculate check classify compare compute convert count define describe detect determine diff
            estimate evaluate explain extract fetch filter find forecast get glob grep info inspect list locate look lookup
            measure parse predict preview query read recommend retrieve review search show solve stat status suggest
            summarize tail translate validate verify view
        """,
    }
)
_NOUNS: Final = listed(
    """
    api archive book call change charge command email format mail message order patch payment post process program purchase
    reply request requests run schedule script set shell store terminal trade transfer update url web webhook website
    """
)
"""Those of them that stand for a thing as well: behind a word for reading they are what is read (`get_order`)."""
_TOLD: Final = re.compile(
    r"""(?ix) (?: ^ | , | \b (?:and|or|then|to|will|can|also|which|that) ) \s* \b
      (?: delet(?:e|es|ing) | remov(?:e|es|ing) | destroy\w* | eras(?:e|es|ing) | permanently | irreversibl[ey] | cancels?
      | overwrit(?:e|es|ing) | pay(?:s|ing)? | purchas(?:e|es|ing) | buy(?:s|ing)? | charg(?:e|es|ing) | transfer(?:s|ring)?
      | refund(?:s|ing)? | send(?:s|ing)? | posts? | publish(?:es|ing)? | deploy(?:s|ing)? | submit(?:s|ting)? | books?
      | plac(?:e|es|ing)\ an?\ order ) \b"""
)
"""In a description's first sentence, where a verb stands."""
_RUNS: Final = re.compile(
    r"(?i)\b(?:execut(?:e|es|ing)|runs?|running|evaluat(?:e|es|ing))\b.*\b(?:command|code|script|shell|sql)"
)
_FIELDS: Final = by_word(
    {
        "execute": "cmd code command executable program script shell sql statement",
        "network": "endpoint host href uri url urls webhook",
        "irreversible": "amount card cvv iban payment recipient recipients",
    }
)


def words_of(name: str) -> tuple[str, ...]:
    """`getUserName`, `get_user_name` and `mcp__users__get-user-name` as small words, a server's name left out."""
    return tuple(part.lower() for part in _PARTS.findall(name.rpartition("__")[2]))


def effect_by_words(tool: Tool) -> Effect:
    """By what it calls itself."""
    spoken = [word for word in words_of(tool.name) if word in _NAMES]
    reads = bool(spoken) and _NAMES[spoken[0]] == "read"
    named = [_NAMES[word] for word in spoken if not (reads and word in _NOUNS)]
    first = (_SENTENCE.match(tool.description.strip()) or [""])[0]
    told: list[Effect] = ["execute"] if _RUNS.search(first) else []
    if _TOLD.search(first):
        told.append("irreversible")
    properties = tool.parameters.get("properties")
    fields = properties if isinstance(properties, dict) else ()
    taken = [effect for field in fields if (effect := _FIELDS.get(str(field).lower()))]
    told += [
        effect for effect in taken if not (reads and effect == "irreversible")
    ]  # an amount to convert is no payment
    found = worst((*named, *told))
    if not named and WORSE.index(found) < WORSE.index("unknown"):
        return "unknown"  # a name that tells nothing, however harmless the rest sounds
    return found
