"""Votes on names that are none to guard: world-wide organisations and products, and words that nothing makes a name of."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from daemon.signals.samples import is_sample_name

_NAMES: Final = """
adobe airbnb alibaba alphabet amazon amd android anthropic apache apple asus atlassian aws azure baidu bbc bing
bitbucket bluetooth boeing bosch canonical chrome cisco claude cloudflare cnn cohere copilot cuda dell deepmind
debian docker dropbox ebay elastic elasticsearch eu excel facebook fedora figma firefox ford gcp gemini github
gitlab gmail gnu google hashicorp hp huawei hugging ibm ieee ietf instagram intel ios iphone iso jetbrains jira
jupyter kafka kubernetes lenovo linkedin linux llama macos mastercard mcdonalds microsoft mistral mongodb mozilla
mysql nasa netflix nginx nike nintendo nokia npm nvidia ollama openai openvino oracle outlook owasp paypal
perplexity pinterest postgres postgresql powerpoint pypi pytorch qualcomm raspberry reddit redis safari salesforce
samsung sap shopify siemens skype slack snapchat sony spacex spotify starbucks stripe tensorflow tesla tiktok
toyota twitch twitter uber ubuntu uk unesco unicef usa vercel vmware volkswagen w3c walmart wechat whatsapp
wikipedia windows wordpress xbox xerox yahoo youtube zoom
"""
_BESIDE: Final = """
cloud services search maps drive docs sheets teams office studio code store play web inc corp ltd company foundation
face pi red hat stack overflow word us who un meta spark steam python rust arm visa
"""
"""Words that stand beside a famous name, or mean something else as well, and make none alone."""
_FORMS: Final = """
ag ab as association bank bv clinic college company consulting coop corp corporation foundation gmbh group holding holdings
hospital inc incorporated institute kg labs limited llc llp ltd nv oy partners plc sa sarl school se solutions spa srl
systems technologies trust union university ventures
"""
"""Words that make a name of what stands before them, written small as well."""
_ORDINARY: Final = """
able account active admin advanced agent alpha american analytics angel apex april arch arrow asia associates atlantic august
autumn baker ball bank banks base beach bean bear bell berg best beta bill bird bishop black blue board bold bond book booth
branch bright brook brooks brown bush butler canada capital card carpenter carter case cash castle center central chance
chase chef chen china christian city clark class clay clear client close cloud code cole company cook cooper corp cross crown
daily dale data date david daisy dawn day dean delta design digital dollar drew duke early earth east edge electric energy
engineering enterprise europe event express faith field fields file finance fish flex flower ford forest foster found fox
frank free french fresh garden gate gates general german gift glass global gold good grace grand grant gray great green
grey ground group guard guest guide hall harbor hard harmony head health heart heath helen hero high hill hills holding
holland holly home hood hope host house human hunt hunter ideal image india industrial industries insight international iris
island jack japan jasmine java jordan josh joy july june just justice king knight labs lake land lane last law leader lee
legacy legal light lily lincoln line link lion list live local logan logic london long lord love lucky luna magic mail main
major mark market marsh mason master matt matter maverick media medical melody mercy meridian metro micro mike mile
miles mill
miller model modern monday moon morgan morning mountain music name national navy network news next nice nick noble noel
north northern nova ocean olive omega open orange order pace pacific page pal palm park parker parks partner partners path
patience pearl penny people perfect phoenix pierce pike pilot pine pioneer place plan planet plus point pool pope port porter
post potter power powers premier price prime prince process product project pure quality queen quick rain ramp random range
ranger raven ready real reed reid research rich ridge right ring rise river rivers road rob robin rock root rose round royal
ruby running russell sage sail salt sand sandy scout sea second secure security senior service services shaw short silver
simple singer skip sky smart smith snow social software solar solid solutions sonic south southern space spark speed spring
square star start state steel stella step stone store storm story street strong student studio suite summer summit sunday
sunny super supply swift systems table tanner taylor team tech technologies technology terry test text thomas time tower
town trade traffic trail training trinity true trust turner type unit united unity universal user valley value vault vega
venture ventures vertex victor victory view vision visit vista wade walker wall walls wang ward warm water watts wave weaver
week well wells west western wheeler white wild will winter wise wolf wood woods word work works world wright yang york
young zone
"""
"""Words of which names are made as well, and that mean nothing of anybody where they stand alone in small letters."""
_MADE_NAMES: Final = """
aider chatgpt cline codex copilot django gatsby gemini goose gpt grok haiku jest jupyter langchain llama mistral mocha ollama
opencode opus qwen sonnet
"""
"""Assistants, models and tools of programmers that the votes take for persons."""
_MADE_BESIDE: Final = """
agent agents ai api app assistant auto bot chat cli code config desktop dev docs flash for hub instruct instructions json
action md mini mcp model pro project prompt rules sdk server session settings skill skills team toml tool tools turbo web
with yaml
"""
_MEANT: Final = {
    "claude": re.compile(
        r"anthropic|(?<![^\W_])claude(?:"
        r"[ _-]?(?:code|sonnet|opus|haiku|desktop|agent|cli|api|mcp|instant|v?[1-9])(?![^\W_])|"
        r"\.(?:md|json|ai)(?!\w)|[ ]--?[a-z])|\.claude(?![^\W_])",
        re.IGNORECASE,
    ),
    "roo": re.compile(r"(?<![^\W_])roo[ -]?(?:code|cline)(?![^\W_])|\.roo(?![^\W_])", re.IGNORECASE),
    "zed": re.compile(r"(?<![^\W_])zed(?:\.dev|[ -](?:editor|industries))(?![^\W_])|\.zed(?![^\W_])", re.IGNORECASE),
}
"""Made names that persons have as well. Alone they are what is made only where a text says that it is meant."""
_ORDINARY_WORDS: Final = frozenset(_ORDINARY.split()) - frozenset({"smith", "chen", "wang", "yang", "lee"})
_KNOWN: Final = frozenset(_NAMES.split())
_CARRIERS: Final = frozenset(_BESIDE.split())
_MADE: Final = frozenset(_MADE_NAMES.split()) | _MEANT.keys()
_BESIDE_MADE: Final = frozenset(_MADE_BESIDE.split())
_LEGAL: Final = frozenset(_FORMS.split())
_WORD: Final = re.compile(r"[^\W_]+")


def everybody_knows(name: str) -> bool:
    """Whether all words of an organisation's name belong to names of world-wide use, and one of them is such a name."""
    words = [word.lower() for word in _WORD.findall(name)]
    return (
        bool(words)
        and all(word in _KNOWN or word in _CARRIERS or word in _LEGAL for word in words)
        and any(map(_KNOWN.__contains__, words))
    )


def is_form_only(name: str) -> bool:
    """Whether it is the legal form of a company and no name, or a name of documents' companies."""
    words = [word.lower() for word in _WORD.findall(name)]
    return all(word in _LEGAL or is_sample_name(word) for word in words)


def is_ordinary(word: str) -> bool:
    """Whether a word of a name, in small letters, is no name where it stands alone."""
    return word in _ORDINARY_WORDS or word in _KNOWN or word in _CARRIERS or word in _LEGAL or word in _MADE


def is_made(name: str, meant: Callable[[str], bool]) -> bool:
    """Whether what was taken for a person is an assistant, a model or a tool: `Claude Code`, `claude-sonnet`, `Jest`.

    meant: whether anything around it tells that of a word, asked where a person could be called so.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    made = [word for word in words if word in _MADE]
    if not made or any(word not in _MADE and word not in _BESIDE_MADE and not word.isdecimal() for word in words):
        return False
    return not all(word in _MEANT for word in words) or all(map(meant, words))


def means_what_is_made(text: str, word: str) -> bool:
    """Whether a text tells that a name which persons have too, in small letters, is a product's."""
    return _MEANT[word].search(text) is not None


def looks_like_a_name(words: str) -> bool:
    """Whether a capital, a digit, or a word such as `gmbh` sets it apart from a sentence's other words. Scripts without
    capitals have nothing to tell by, and are believed.
    """
    if not any(letter.islower() for letter in words):
        return True
    return any(letter.isupper() or letter.isdigit() for letter in words) or any(
        word in _LEGAL for word in _WORD.findall(words)
    )
