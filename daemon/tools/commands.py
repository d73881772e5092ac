"""What a shell command would do, as far as that can be told without running it.

It is read conservatively: only what is plainly understood reads or writes. A program that isn't in a table, a word that the
shell makes up itself (`$(…)`, backticks, a variable in a command's place), and anything that doesn't parse is `execute`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import dropwhile
from typing import Final

from daemon.settings import Effect
from daemon.tools.ranks import worst
from daemon.tools.tables import listed

MOST_CHARS: Final = 4000
"""Of a command that is looked at; a longer one is a program."""
_MADE_UP: Final = re.compile(r"`|\$\(|\$\{|<\(|>\(|<<")
_TOKEN: Final = re.compile(
    r"""(?x) (?P<space>[ \t]+|\\\n) | (?P<end>&&|\|\||\|&|;;?|\||\n) | (?P<aside>\d*>&\d+|\d*>&-)
      | (?P<out>&>>?|\d*>>|\d*>\|?) | (?P<into>\d*<) | (?P<back>&)
      | (?P<word>(?: '[^']*' | "(?:[^"\\]|\\.)*" | \\. | [^\s'"\\;&|<>()] )+)"""
)
_ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*=")
_PIECE: Final = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)""", re.DOTALL)
_SINGLE: Final = re.compile(r"(?<!\$)'[^']*'")
_EXPANDED: Final = re.compile(r"""\$['"]|\{[^}"']*(?:,|\.\.)""")
"""Words of which a shell makes others, whatever stands behind them."""
_LINES: Final = re.compile(r"(?:\d+|\$)(?:,(?:\d+|\$))?p;?")
_SHELLS: Final = frozenset({"sh", "bash", "zsh", "dash", "ksh"})
_BEFORE: Final = frozenset({"time", "nohup", "nice", "command", "builtin"})
"""Words that another command may stand behind."""
_READ: Final = listed("""
    [ basename cat cd cksum cmp column comm cut date df diff dir dirname du echo egrep false fgrep file fold free getconf
    grep groups head hexdump id jq ls lsblk lscpu md5sum nl nproc od paste pgrep printenv printf ps pwd readlink
    realpath rev rg seq sha1sum sha256sum sleep stat strings tac tail test tr tree true tty type uname uptime wc where
    whereis which who whoami
    """)
_READ_BUT: Final[dict[str, frozenset[str]]] = {
    "date": frozenset({"-s", "--set"}),
    "diff": frozenset({"--output"}),
    "rg": frozenset({"--pre", "--hostname-bin", "--search-zip", "-z"}),
    "tree": frozenset({"-o"}),
}
"""Options with which they do more."""
_WRITE: Final = frozenset(
    {"chmod", "cp", "install", "ln", "mkdir", "mkfifo", "mktemp", "mv", "patch", "rmdir", "tee", "touch"}
)
_NETWORK: Final = listed("""
    curl dig ftp gh glab host http nc ncat netcat nslookup ping rclone rsync scp sftp ssh telnet traceroute wget whois
    """)
_IRREVERSIBLE: Final = listed("""
    aws az crontab dd dropdb fdisk gcloud halt kill killall mkfs parted pkill poweroff reboot rm shred shutdown srm systemctl
    trash truncate unlink wipefs
    """)
_PACKAGES: Final = listed(
    "apk apt apt-get brew bun bundle cargo composer conda dnf gem go npm pip pip3 pnpm poetry uv yarn yum"
)
_FETCHING: Final = listed("add ci download fetch get i install publish sync update upgrade")
_GIT_READ: Final = listed(
    "blame cat-file describe diff diff-tree grep log ls-files ls-tree merge-base name-rev rev-list rev-parse shortlog show "
    "show-ref status"
)
_GIT_WRITE: Final = listed("add am apply cherry-pick commit init merge mv notes rebase restore revert switch")
_GIT_NETWORK: Final = listed("clone fetch ls-remote pull push")
_GIT_LISTS: Final[dict[str, frozenset[str]]] = {
    "branch": frozenset({"-a", "-r", "-v", "-vv", "--all", "--list", "--remotes", "--show-current"}),
    "remote": frozenset({"-v", "get-url"}),
    "stash": frozenset({"list", "show"}),
    "tag": frozenset({"-l", "--list"}),
    "worktree": frozenset({"list"}),
    "config": frozenset({"-l", "--list", "--get", "--get-all"}),
    "submodule": frozenset({"status"}),
}
"""Those that only list, if this is their first word or, but for config and submodule, if they have none."""
_GIT_RUNS: Final = re.compile(r"-O.*|--(?:ext-diff|textconv|exec|open-files-in-pager|upload-pack|output)(?:=.*)?")
_GIT_LOSES: Final = re.compile(r"-f|-d|-D|--(?:force.*|hard|delete|mirror|prune)|\+.+|:.+")


class _Unclear(Exception):
    """The shell would make something of this that can't be told."""


def effect_of_command(command: str) -> Effect:
    """Of a line, or a few, as a shell takes them."""
    if len(command) > MOST_CHARS or _MADE_UP.search(command):
        return "execute"
    try:
        return worst(_effects(command))
    except _Unclear:
        return "execute"


def effect_of_argv(words: Sequence[str]) -> Effect:
    """Of a command that no shell reads, unless it is one with `-c`."""
    if len(words) == 3 and _base(words[0]) in _SHELLS and words[1] in ("-c", "-lc", "-ic"):
        return effect_of_command(words[2])
    return _simple(list(words)) if words else "execute"


def _effects(command: str) -> Iterator[Effect]:
    words: list[str] = []
    place, target = 0, False
    while place < len(command):
        found = _TOKEN.match(command, place)
        if found is None:
            raise _Unclear
        place, kind = found.end(), found.lastgroup
        if kind == "word":
            word = _unquoted(found[0])
            if _EXPANDED.search(_SINGLE.sub("", found[0])):
                raise _Unclear
            if target:
                yield _written(word)
            else:
                words.append(word)
            target = False
        elif kind == "out":
            target = True
        elif kind == "into":
            target = False  # what is read from is a word like any other: reading it does no more
        elif kind in ("end", "back"):
            if target:
                raise _Unclear
            if words:
                yield _simple(words)
            words = []
    if target:
        raise _Unclear
    if words:
        yield _simple(words)


def _written(path: str) -> Effect:
    if path in ("/dev/null", "/dev/stdout", "/dev/stderr"):
        return "read"
    return "irreversible" if path.startswith("/dev/") else "write"


def _unquoted(word: str) -> str:
    """As the program gets it; variables stay as they are written."""
    return _PIECE.sub(lambda piece: next(group for group in piece.groups() if group is not None), word)


def _base(program: str) -> str:
    return program.rpartition("/")[2]


def _simple(words: list[str]) -> Effect:
    """One command and its words."""
    if _ASSIGNMENT.match(words[0]):
        rest = list(dropwhile(_ASSIGNMENT.match, words))
        return worst(("execute", _simple(rest))) if rest else "execute"  # PATH is a variable as well
    program, given = words[0] if words[0] in _READ else _base(words[0]), words[1:]
    if program in _BEFORE and given and not given[0].startswith("-"):
        return _simple(given)
    if program in ("sudo", "doas"):
        rest = [word for word in given if not word.startswith("-")]
        return worst(("execute", _simple(rest))) if rest else "execute"
    if program != words[0]:
        return worst(("execute", _plain(program, given)))  # some file of that name
    return _plain(program, given)


def _plain(program: str, given: list[str]) -> Effect:
    if program in _JUDGES:
        return worst((_JUDGES[program](given), *_hidden(given)))
    if program in _READ:
        more = _READ_BUT.get(program)
        if more is None:
            return "read"
        if _hidden(given):
            return "execute"
        return "execute" if any(word.partition("=")[0] in more for word in given) else "read"
    if program in _WRITE:
        return "write"
    if program in _NETWORK:
        return "network"
    if program in _IRREVERSIBLE or program.startswith("mkfs."):
        return "irreversible"
    if program in _PACKAGES:
        return "network" if any(word in _FETCHING for word in given[:2]) else "execute"
    return "execute"


def _hidden(given: list[str]) -> tuple[Effect, ...]:
    """A variable may hold an option."""
    return ("execute",) if any("$" in word for word in given) else ()


def _git(given: list[str]) -> Effect:
    while len(given) > 1 and given[0] == "-C":
        given = given[2:]
    if given and given[0] == "--no-pager":
        given = given[1:]
    if not given or given[0].startswith("-"):
        return "read" if given == ["--version"] else "execute"
    verb, rest = given[0], given[1:]
    if any(_GIT_RUNS.fullmatch(word) for word in rest):
        return "execute"
    if verb in _GIT_READ:
        return "read"
    if verb in _GIT_LISTS and (rest[0] in _GIT_LISTS[verb] if rest else verb not in ("config", "submodule", "stash")):
        return "read"
    loses = any(_GIT_LOSES.fullmatch(word) for word in rest)
    if verb in _GIT_NETWORK:
        return "irreversible" if verb == "push" and loses else "network"
    if verb in ("clean", "rm", "reset", "checkout", "filter-branch", "gc", "prune", "reflog", "update-ref"):
        return (
            "irreversible"
            if loses or verb not in ("reset", "checkout", "gc") or "--" in rest or "." in rest
            else "write"
        )
    if verb in _GIT_WRITE or verb in _GIT_LISTS:
        return "irreversible" if loses or rest[:1] in (["drop"], ["clear"]) else "write"
    return "execute"


def _find(given: list[str]) -> Effect:
    if "-delete" in given:
        return "irreversible"
    return "execute" if any(word.startswith(("-exec", "-ok", "-fprint", "-fls")) for word in given) else "read"


def _sed(given: list[str]) -> Effect:
    if given and given[0] == "-n" and len(given) > 1 and _LINES.fullmatch(given[1]):
        return "read" if not any(word.startswith("-") for word in given[2:]) else "execute"
    return "execute"  # its scripts can write files and run commands


def _sort(given: list[str]) -> Effect:
    if any(word.startswith(("--compress-program", "--files0")) for word in given):
        return "execute"
    return "write" if any(word.startswith(("-o", "--output")) for word in given) else "read"


def _uniq(given: list[str]) -> Effect:
    return "write" if sum(not word.startswith("-") for word in given) > 1 else "read"


def _env(given: list[str]) -> Effect:
    return "execute" if given else "read"


def _docker(given: list[str]) -> Effect:
    if given[:1] in (["ps"], ["images"], ["version"], ["info"]):
        return "read"
    if given[:1] in (["pull"], ["push"], ["login"]):
        return "network"
    return (
        "irreversible"
        if given and any(word in ("rm", "rmi", "prune", "kill", "down") for word in given[:2])
        else "execute"
    )


def _kubectl(given: list[str]) -> Effect:
    return "network" if given[:1] in (["get"], ["describe"], ["logs"], ["version"]) else "irreversible"


def _terraform(given: list[str]) -> Effect:
    if given[:1] in (["fmt"], ["validate"], ["version"]):
        return "write" if given[0] == "fmt" else "read"
    return "network" if given[:1] in (["plan"], ["init"]) else "irreversible"


_JUDGES: Final[dict[str, Callable[[list[str]], Effect]]] = {
    "docker": _docker,
    "env": _env,
    "find": _find,
    "git": _git,
    "kubectl": _kubectl,
    "podman": _docker,
    "sed": _sed,
    "sort": _sort,
    "terraform": _terraform,
    "uniq": _uniq,
}
"""Programs whose options decide."""
