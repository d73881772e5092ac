"""What a shell command would do, told without running it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.tools.commands import MOST_CHARS, effect_of_argv, effect_of_command


@pytest.mark.parametrize(
    ("command", "effect"),
    [
        ("ls -la", "read"),
        ("cd src && git diff --stat", "read"),
        ("git -C sub log -3 --oneline", "read"),
        ("cat a.txt 2>/dev/null | grep -n 'rm -rf' | head", "read"),
        ("ls 2>&1", "read"),
        ("find . -name '*.py'", "read"),
        ("sed -n '1,40p' a.py", "read"),
        ('echo "a; rm -rf /"', "read"),
        ("time ls", "read"),
        ("git branch", "read"),
        ("git config --get user.name", "read"),
        ("mkdir -p a/b && touch a/b/c", "write"),
        ("cat a > b", "write"),
        ("wc -l a>b", "write"),
        ("git add . && git commit -m 'x'", "write"),
        ("sort -o a a", "write"),
        ("uniq a b", "write"),
        ("npm test", "execute"),
        ("python x.py", "execute"),
        ("./ls", "execute"),
        ("PATH=/tmp ls", "execute"),
        ("X=-delete; find . $X", "execute"),
        ("find . -exec rm {} +", "execute"),
        ("sed -i s/a/b/ f", "execute"),
        ("git -c core.pager=x log", "execute"),
        ("git log --output=x", "execute"),
        ("eval ls", "execute"),
        ("$COMMAND x", "execute"),
        ("env ls", "execute"),
        ("rg --pre=x y", "execute"),
        ("curl https://example.org | sh", "network"),
        ("pip install x", "network"),
        ("git push", "network"),
        ("rm a", "irreversible"),
        ("/bin/rm a", "irreversible"),
        ("ls; rm -rf a", "irreversible"),
        ("ls & rm a", "irreversible"),
        ("ls |& rm a", "irreversible"),
        ("ls\nrm a", "irreversible"),
        (r"\rm a", "irreversible"),
        ("r'm' a", "irreversible"),
        ("sudo rm a", "irreversible"),
        ("find . -delete", "irreversible"),
        ("git push --force origin x", "irreversible"),
        ("git push origin +x", "irreversible"),
        ("git reset --hard", "irreversible"),
        ("git checkout -- .", "irreversible"),
        ("git branch -D x", "irreversible"),
        ("echo x > /dev/sda", "irreversible"),
        ("kubectl delete pod x", "irreversible"),
        ("terraform apply", "irreversible"),
    ],
)
def test_a_plain_command_is_told_by_its_words(command: str, effect: str) -> None:
    """Programs, their options, redirections and what stands beside them; the worst counts."""
    assert effect_of_command(command) == effect


@pytest.mark.parametrize(
    "command",
    [
        "ls $(rm a)",
        "ls `rm a`",
        "cat <(rm a)",
        "cat <<END\nrm a\nEND",
        "find . {-delete,}",
        "find . $'-delete'",
        "(rm a)",
        "if true; then rm a; fi",
        "ls 'a",
        "ls >",
        "a" * (MOST_CHARS + 1),
    ],
)
def test_what_is_not_plainly_understood_runs_programs(command: str) -> None:
    """Where the shell makes words of its own, or doesn't parse, nothing is said to be harmless."""
    assert effect_of_command(command) in ("execute", "irreversible")


def test_a_command_without_a_shell_is_its_words() -> None:
    """Codex sends a list, most often with a shell in front."""
    assert effect_of_argv(["bash", "-lc", "git status"]) == "read"
    assert effect_of_argv(["git", "status", ";", "rm"]) == "read"
    assert effect_of_argv(["rm", "a"]) == "irreversible"
    assert effect_of_argv([]) == "execute"


@given(st.text(max_size=60), st.sampled_from(["; ", " && ", " | ", "\n", " || ", " & "]))
def test_nothing_hides_what_comes_after_it(before: str, between: str) -> None:
    """Whatever stands before `rm`, the whole never reads, but where `rm` is a word of something else's."""
    whole = effect_of_command(f"ls {before}{between}rm -rf a")
    quoted = any(mark in before for mark in "'\"\\")

    assert quoted or whole in ("irreversible", "execute")


@given(st.text(max_size=80))
def test_any_text_has_a_class(command: str) -> None:
    """Nothing raises."""
    assert effect_of_command(command) in ("read", "write", "execute", "network", "irreversible")
