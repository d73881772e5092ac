"""A provider's row, of what is said of it."""

from __future__ import annotations

import pytest

from daemon.errors import BadRequest
from daemon.provider_rows import known_vendors, made, require_unnamed
from daemon.settings import Provider, Settings, parse
from daemon.wire import NewProvider

NONE = Settings()


def test_a_known_vendor_needs_no_more_than_its_name() -> None:
    """Its address, what it takes and where its key is are known; a server of this machine counts as that, and needs none."""
    router, ollama = made(NewProvider("openrouter"), NONE), made(NewProvider("ollama"), NONE)

    assert router.row == Provider("https://openrouter.ai/api/v1", accepts=("top_k",))
    assert (router.key_variable, router.warnings) == ("OPENROUTER_API_KEY", ())
    assert "somebody else's" in router.notes[0]
    assert ollama.row == Provider("http://127.0.0.1:11434/v1", key="none", place="device")
    assert "add it again with the place `cloud`" in ollama.notes[1]


def test_a_vendors_name_at_another_address_is_another_one() -> None:
    """It is not told what the vendor's own servers take."""
    assert made(NewProvider("vllm", "http://10.0.0.7:8000/v1"), NONE).row.accepts == ()


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (NewProvider("mine", "http://open.example/v1"), "anybody on the way"),
        (NewProvider("mine", "https://x.example/v1", key="file:/k"), "readable in a file"),
    ],
)
def test_what_is_weak_is_told(wanted: NewProvider, words: str) -> None:
    """And it is made nevertheless."""
    assert any(words in each for each in made(wanted, NONE).warnings)


@pytest.mark.parametrize(
    ("wanted", "parameter"),
    [
        (NewProvider(""), "name"),
        (NewProvider("Upper", "https://x.example/v1"), "name"),
        (NewProvider("cloud", "https://x.example/v1"), "name"),
        (NewProvider("mine"), "base_url"),
        (NewProvider("mine", "x.example"), "base_url"),
        (NewProvider("mine", "https://x.example/v1", place="device"), "base_url"),
        (NewProvider("mine", "https://x.example/v1", "smoke"), "wire"),
        (NewProvider("mine", "https://x.example/v1", key="sk-plain-0815"), "key"),
        (NewProvider("mine", "https://x.example/v1\n"), "base_url"),
        (NewProvider("mine", "https://x.example/v1", models=("small", "")), "models"),
        (NewProvider("mine", "https://x.example/v1", models=(" ",)), "models"),
        (NewProvider("mine", "https://x.example/v1", models=("\x1b[31mred",)), "models"),
    ],
)
def test_what_cant_be_a_provider(wanted: NewProvider, parameter: str) -> None:
    """The field at fault is named, and a key that was typed in the wrong place is not said back."""
    with pytest.raises(BadRequest) as refused:
        made(wanted, NONE)
    assert refused.value.parameter == parameter
    assert "0815" not in str(refused.value)


def test_a_name_that_is_taken() -> None:
    """The one that is there stays."""
    with pytest.raises(BadRequest, match="already"):
        made(NewProvider("openai"), Settings(providers={"openai": Provider("https://x.example/v1")}))


def test_one_that_projects_name_can_not_go() -> None:
    """The tables that name it are told; others may go."""
    settings = parse(
        '[providers.lab]\nbase_url = "https://l.example/v1"\n[providers.other]\nbase_url = "https://o.example/v1"\n'
        '[projects.x.providers.lab]\nprivacy = "open"\n'
    )
    with pytest.raises(BadRequest, match=r"\[projects\.x\.providers\.lab\]"):
        require_unnamed("lab", settings)
    require_unnamed("other", settings)


def test_all_known_vendors_can_be_added() -> None:
    """By name alone, or with the address that each of them has for itself; where it runs is told beforehand."""
    assert len(known_vendors()) > 20
    for each in known_vendors():
        address = each.base_url.lower() if each.needs_address else None
        row = made(NewProvider(each.name, address), NONE).row
        assert row.base_url == (address or each.base_url)
        assert row.wire == each.wire
        if not each.needs_address:
            assert (row.key == "none") is (each.place == "device") is not each.needs_key


def test_who_was_never_asked_is_told_so() -> None:
    """Of a vendor's own address; another one is nobody's that is known."""
    known = [each for each in known_vendors() if not each.tested]
    untested = [each.name for each in known]

    assert "openai" in untested
    assert "other-nearloop" not in untested
    for each in known:
        if not each.needs_address:
            assert any("untested" in note for note in made(NewProvider(each.name), NONE).notes)
    assert not any("untested" in note for note in made(NewProvider("vllm", "http://10.0.0.7:8000/v1"), NONE).notes)
    assert not any(
        "untested" in note for note in made(NewProvider("other-nearloop", "http://10.0.0.7:6327/v1"), NONE).notes
    )


def test_a_vendor_without_an_address_of_its_own() -> None:
    """What one looks like is told."""
    with pytest.raises(BadRequest, match="--url http://OTHER-MACHINE:6327/v1"):
        made(NewProvider("other-nearloop"), NONE)
