"""Names in code that are told by the place where they stand, though their words are anybody's: `FROM orders`, `-d ledger`.

Theory of operation. Places are of two kinds. Some hold nothing but somebody's own name: what a statement reads, what an ORM
stores a class as, the end of a connection's address. There any word is one that neither a language nor a server has. Others
hold a product's or a library's name as often: a path, an import, `the … service`. There a word is somebody's own if no
library has it, and if it doesn't look like an adjective.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from keyword import kwlist
from typing import Final

from daemon.signals.code.public import PublicNames
from daemon.signals.code.regions import Region
from daemon.signals.code.telling import PATH, RULES
from daemon.signals.overlaps import folded
from daemon.signals.public_domains import PUBLIC_DOMAINS, registered
from daemon.signals.public_names import everybody_knows

_STATEMENT: Final = re.compile(
    r"\b(?P<key>from|join|into|update|(?:table|view|schema|database)(?:\s+if\s+(?:not\s+)?exists)?|truncate|describe|use|"
    rf"references|only|using|repair\s+table|show\s+tables\s+(?:in|from))\s+(?P<name>{PATH})(?![\w$:/@-]|\.\w)",
    re.IGNORECASE,
)
_CALLS: Final = frozenset({"from", "join", "using", "update", "use", "describe", "only"})
"""Behind which a name with brackets is a function's."""
_ON: Final = re.compile(
    rf"\b(?:index|grant|revoke|trigger|policy)\b[^;\n]{{0,120}}?\son\s+(?P<name>{PATH})(?![\w$])", re.IGNORECASE
)
_ON_HINTS: Final = ("index", "grant", "revoke", "trigger", "policy")
_MORE: Final = re.compile(rf"(?:\s+(?:as\s+)?[a-z]\w?)?\s*,\s*(?P<name>{PATH})(?![\w$(]|\.\w)", re.IGNORECASE)
_SQL: Final = re.compile(
    r"\b(?:select|insert|delete|join|where|create|alter|update|drop|truncate|merge|explain|describe)\b", re.IGNORECASE
)
_IN_FILE: Final = re.compile(r"\.(?:json|ya?ml|toml|txt|md|py|js|ts|csv|xml|sql|lock|cfg|ini|env|sh)$")
_IMPORT: Final = re.compile(r"[^\n]{0,200}\bimport\b")

_IMAGES: Final = re.compile(
    r"(?:\bimage:\s*|^(?:FROM)\s+|\bdocker\s+(?:build|push|pull|run|tag)\s[^\n]{0,300}?)[\"']?"
    r"(?P<host>[\w-]+(?:\.[\w-]+)+(?::\d+)?/)?(?P<name>[a-z0-9][\w-]*(?:/[a-z0-9][\w-]*)*)(?::[\w.-]+|@sha256|[ \t]*$)",
    re.MULTILINE,
)
_OF_GIT: Final = re.compile(
    r"(?:github\.com|gitlab\.com|bitbucket\.org|\bgit@[\w.-]+)[:/](?P<org>[\w-]+)/(?P<repo>[\w.-]*?\w)(?:\.git\b|(?=[/\s\"'):,#]|$))|"
    r"\b(?:uses:\s*|(?:checkout|clone|fork)\s+(?:of\s+)?)(?P<org2>[\w-]+)/(?P<repo2>[\w-]+)"
)
_GIT_HINTS: Final = ("github.com", "gitlab.com", "bitbucket.org", "git@", "uses:", "checkout ", "clone ", "fork ")
_SCOPE: Final = re.compile(r"(?<![\w.])@(?P<org>[a-z][a-z0-9-]*)(?:/|%2[fF])(?P<repo>[a-z][\w-]*)")
_REVERSED: Final = re.compile(
    r"(?<![\w./@-])(?:com|org|net|io|de|eu|dev|fr|nl|ch|at|tech|cloud|co)\.(?P<name>[a-z]\w+(?:\.[a-z]\w+)*)(?=\.|;|\s|$)"
)
_RIGHTS: Final = re.compile(
    r"(?:copyright|\(c\)|©)\s*(?:\(c\)|©)?\s*(?:\d{4}(?:\s*[-–,]\s*\d{4})*)?,?\s*(?:by\s+)?"
    r"(?P<name>[A-Z][\w&.'-]*(?:[ ](?:&[ ])?[A-Z][\w&'-]*){0,4})",
    re.IGNORECASE,
)
_FREE: Final = re.compile(
    r"licensed under|permission is hereby|general public licen[cs]e|spdx-license|software foundation|"
    r"contributors|the\s\w+\sauthors|apache licen[cs]e",
    re.IGNORECASE,
)
_WORDS: Final = re.compile(r"[A-Za-z_][\w$-]*")
_LETTERS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_ADJECTIVE: Final = re.compile(r".*(?:ing|ed|ly|al|ive|ous|ful|less|able|ible|ic|ary|ent|ant|ern|est|s)")

_NEVER_WORDS: Final = """
a about abs across action admin after all also alter always an and any append array as asc at aws back backup be before
begin best big blank bool boolean both bottom break btree but by byte bytes call can case catch char class clear close
column columns command commit const constraint content contents context continue count create cross current cursor data
database databases date datetime db dbo default def delete desc details dict different disk do docker done down drop dual
dummy each either else empty end entire enum env environment error every example except exec exists external extra false
few file files final first float following for foreign foo from full function general generic get gin given global good
group grant hash have he her here his host how i id if import in index info information_schema inner input insert int
integer interface into is it item items its join json just key keys large last lateral left length let level like limit
line lines list local localhost lookup loop lot lots main many map master me memory menu merge method mine module more
most my mydb mysql name names new next no none normal not nothing now null number object of old on one only open option
or order other our out output over own page parent partition pass password path pg_catalog place pivot plain postgres
postgresql primary print private procedure prod production public query quote range raw read real record records
recursive related relation relational relevant remote replace repo result results return returning right root row rows
same sample schema schemas script second select self separate server set setof settings several shared short show side
simple single small so some source spreadsheet sql staging standard start statement static status still storage store
string struct sub such super switch symbol sys system table tables target temp template temporary test text that the
their them then there these they thing things third this those three through time timestamp to top true try tuple two
type types underlying undefined unnest up update url use user username using value values var vector very via view
views void was we web what when where which while whole will with within work wrong yield you your
"""
_NEVER: Final = frozenset((*_NEVER_WORDS.split(), *map(str.lower, kwlist)))
"""Words of languages, of sentences and of servers, which are nobody's name even where names stand."""
_NO_TABLE_WORDS: Final = """
actual additional adjacent analytical appropriate available backing backup basic bridge central cloud company's complete
corresponding customer's dedicated distributed document empty enterprise entire existing graph huge in-memory internal
intermediate junction key-value legacy linked live markdown massive modern multi-tenant nosql oltp olap original partitioned
periodic populated proper proprietary read-only real-time redundant regular replica responsive routing secondary secure
similar slow sorted specific static stale tiny tall truth unused upstream user-defined valid various well-known wide writable
question memory production command upper lower call left-hand right-hand lunch kitchen dinner coffee contents time
"""
_NO_TABLE: Final = frozenset(_NO_TABLE_WORDS.split())
"""What else stands before `table` or `database` in a sentence."""
_PUBLIC_OWNER_WORDS: Final = """
actions amazonaws android angular ant-design apache apollo auth0 aws-actions aws-sdk azure babel capacitor cloudflare
codecov commitlint cypress django docker dotnet eclipse electron emotion eslint facebook fasterxml floating-ui
fluentui fontsource fortawesome golang google google-cloud google-github-actions googleapis graphql graphql-codegen
grpc hashicorp headlessui heroicons hibernate hookform huggingface ionic jboss jest jetbrains junit jupyter k8s kotlin
kubernetes lezer library material-ui mdx-js microsoft mockito mozilla mui nestjs netty ngrx node nodejs nuxt nuxtjs
octokit opentelemetry oracle pallets parcel playwright popperjs prisma psf python pytorch radix-ui react-native
reactivex reduxjs remix-run rollup rust-lang sentry slf4j softprops springframework sql square squareup storybook
stripe sun supabase sveltejs swc tailwindcss tanstack tensorflow testing-library torvalds trpc tsconfig types
typescript-eslint unocss vercel vitejs vue vueuse w3c xmlsoap yarnpkg
"""
_PUBLIC_OWNERS: Final = frozenset(_PUBLIC_OWNER_WORDS.split())
"""Whose packages, images and repositories are everybody's."""
MIN_CHARS: Final = 3

Place = tuple[int, int]


class Told:
    """Looks for names by their places. public: those that are nobody's own."""

    def __init__(self, public: PublicNames) -> None:
        self._public = public

    def find(self, text: str, code: list[Region]) -> Iterator[Place]:
        """All of them, also twice. code: where in the text code stands."""
        lower = folded(text)
        yield from self._in_statements(text, lower, code)
        for rule in RULES:
            if any(hint in lower for hint in rule.hints):
                for found in rule.pattern.finditer(lower if rule.sure else text):
                    yield from self._at(text, found, self._is_own if rule.sure else self._is_new)
        yield from self._of_owners(text, lower)
        for found in _REVERSED.finditer(text):
            if found["name"].partition(".")[0] not in _PUBLIC_OWNERS:
                yield from self._names(text, found.span("name"), self._is_new)
        rights = any(word in lower for word in ("copyright", "(c)", "©")) and not _FREE.search(text)
        for found in _RIGHTS.finditer(text) if rights else ():
            name = found["name"]
            if name[0].isupper() and not everybody_knows(name):
                yield found.span("name")

    def _in_statements(self, text: str, lower: str, code: list[Region]) -> Iterator[Place]:
        """What SQL reads and writes. A statement in a sentence is told by its capitals."""
        for found in _STATEMENT.finditer(text):
            start = found.start()
            written = any(region.start <= start < region.end for region in code)
            if not (found["key"].isupper() or (written and _SQL.search(text, max(0, start - 600), found.end() + 40))):
                continue
            if _IMPORT.match(text, found.end()) or _IN_FILE.search(found["name"]):
                continue
            end = found.end()
            if text[end : end + 1] == "(" and found["key"].lower() in _CALLS:
                continue
            yield from self._names(text, found.span("name"), self._is_own)
            while more := _MORE.match(text, end):
                yield from self._names(text, more.span("name"), self._is_own)
                end = more.end()
        for found in _ON.finditer(text) if " on " in lower and any(word in lower for word in _ON_HINTS) else ():
            yield from self._names(text, found.span("name"), self._is_own)

    def _at(self, text: str, found: re.Match[str], wanted: Callable[[str], bool]) -> Iterator[Place]:
        for group in found.re.groupindex:
            if found[group] is None:
                continue
            test = {"adjective": self._is_no_adjective, "capital": self._is_own}.get(group, wanted)
            yield from self._names(text, found.span(group), test)

    def _of_owners(self, text: str, lower: str) -> Iterator[Place]:
        """`owner/name` of repositories, packages and images."""
        for pattern, hints in ((_OF_GIT, _GIT_HINTS), (_SCOPE, ("@",))):
            for found in pattern.finditer(text) if any(hint in lower for hint in hints) else ():
                groups = [name for name in found.re.groupindex if found[name] is not None]
                names = [found[name].lower() for name in groups]
                if names[0] in _PUBLIC_OWNERS or any(map(self._is_everybodys, names)):
                    continue
                yield found.span(groups[0])
                yield from self._names(text, found.span(groups[1]), self._is_own)
        for found in _IMAGES.finditer(text) if "image:" in lower or "docker" in lower or "FROM " in text else ():
            host = (found["host"] or "").rstrip("/").partition(":")[0]
            names = found["name"].split("/")
            if names[0] in _PUBLIC_OWNERS or (not host and len(names) == 1 and not self._is_new(names[0])):
                continue
            if any(map(self._is_everybodys, names)):
                continue
            if host and registered(host.split(".")) not in PUBLIC_DOMAINS and "example" not in host:
                yield found.start("host"), found.start("host") + len(host)
            yield from self._names(text, found.span("name"), self._is_own)

    def _is_everybodys(self, name: str) -> bool:
        return self._public.is_product(name) or everybody_knows(name)

    def _names(self, text: str, place: Place, wanted: Callable[[str], bool]) -> Iterator[Place]:
        for word in _WORDS.finditer(text, *place):
            if wanted(word[0]):
                yield word.span()

    def _is_own(self, name: str) -> bool:
        """Whether it is a name, where nothing but names stands."""
        small = name.lower()
        return (
            len(name) >= MIN_CHARS
            and small not in _NEVER
            and small not in _NO_TABLE
            and not small.startswith(("pg_", "sqlite_", "my_", "your_", "test_", "example"))
            and not self._is_everybodys(name)
        )

    def _is_new(self, name: str) -> bool:
        """Whether no library has it, nor a product."""
        letters = _LETTERS.findall(name)
        if not self._is_own(name) or not letters or self._public.knows(name):
            return False
        return len(letters) > 1 or len(name) > MIN_CHARS

    def _is_no_adjective(self, name: str) -> bool:
        return self._is_new(name) and (not self._public.is_word(name) or not _ADJECTIVE.fullmatch(name.lower()))
