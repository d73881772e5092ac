"""Where a provider runs: addresses read strictly, and what the user may say about them."""

from __future__ import annotations

import pytest

from providers.cleared import Place
from providers.places import Address, address_of, may_be, place_of, place_of_model, url_of


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1", Address.LOOPBACK),
        ("127.9.9.9", Address.LOOPBACK),
        ("::1", Address.LOOPBACK),
        ("localhost", Address.LOOPBACK),
        ("LOCALHOST", Address.LOOPBACK),
        ("10.1.2.3", Address.LAN),
        ("172.16.0.1", Address.LAN),
        ("172.32.0.1", Address.PUBLIC),
        ("192.168.1.1", Address.LAN),
        ("169.254.1.1", Address.LAN),
        ("fe80::1%eth0", Address.LAN),
        ("fd00::1", Address.LAN),
        ("nas.local", Address.LAN),
        ("nas.local.", Address.LAN),
        ("100.64.0.1", Address.INDOORS),
        ("gpu-box", Address.INDOORS),
        ("gpu.home.arpa", Address.INDOORS),
        ("8.8.8.8", Address.PUBLIC),
        ("2001:db8::1", Address.PUBLIC),
        ("0.0.0.0", Address.PUBLIC),
        ("::", Address.PUBLIC),
        ("::ffff:127.0.0.1", Address.PUBLIC),
        ("127.1", Address.PUBLIC),
        ("2130706433", Address.PUBLIC),
        ("0x7f000001", Address.PUBLIC),
        ("localhost.", Address.INDOORS),
        ("localhost.example.com", Address.PUBLIC),
        ("127.0.0.1.example.com", Address.PUBLIC),
        ("x.localhost", Address.PUBLIC),
        ("local", Address.INDOORS),
        ("api.openai.com", Address.PUBLIC),
    ],
)
def test_what_a_host_is(host: str, address: Address) -> None:
    """Loopback and private ranges are known in their plain spelling; all that is odd counts as farther."""
    assert address_of(host) is address


@pytest.mark.parametrize(
    ("url", "told", "place"),
    [
        ("http://127.0.0.1:11434/v1", None, Place.CLOUD),
        ("http://127.0.0.1:11434/v1", "device", Place.DEVICE),
        ("http://[::1]:1/v1", "device", Place.DEVICE),
        ("http://localhost:8000/v1", "lan", Place.LAN),
        ("http://localhost:8000/v1", "cloud", Place.CLOUD),
        ("http://192.168.1.5/v1", None, Place.LAN),
        ("http://192.168.1.5/v1", "cloud", Place.CLOUD),
        ("http://gpu-box:8000/v1", None, Place.CLOUD),
        ("http://gpu-box:8000/v1", "lan", Place.LAN),
        ("https://api.example.com/v1", None, Place.CLOUD),
    ],
)
def test_where_a_provider_runs(url: str, told: str | None, place: Place) -> None:
    """By its address, farther if the user says so, and nearer only where the address can be that near."""
    assert place_of(url, told) is place


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("https://api.example.com/v1", "device"),
        ("https://api.example.com/v1", "lan"),
        ("http://192.168.1.5/v1", "device"),
        ("http://gpu-box/v1", "device"),
        ("http://8.8.8.8/v1", "lan"),
    ],
)
def test_what_can_not_be_confirmed(url: str, told: str) -> None:
    """A word of the user never makes a far address near."""
    with pytest.raises(ValueError, match=f'place = "{told}" needs'):
        place_of(url, told)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("api.example.com/v1", "must start with https://"),
        ("ftp://example.com", "must start with https://"),
        ("http://", "must start with https://|not an address"),
        ("http://h:0/v1", "must start with https://"),
        ("http://h:99999/v1", "not an address"),
        ("https://user:secret@example.com/v1", "user name or password"),
        ("https://example.com/v1?key=secret", "query or a fragment"),
        ("https://example.com/v1#x", "query or a fragment"),
        ("http://127.0.0.1\\@example.com/v1", "not an address|must"),
        ("", "must start with"),
    ],
)
def test_what_is_no_address(url: str, why: str) -> None:
    """An address that can't be used, or holds a secret, is refused in words that don't repeat the secret."""
    with pytest.raises(ValueError, match=why) as caught:
        url_of(url)

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("address", Address)
def test_everything_may_be_cloud(address: Address) -> None:
    """Towards farther everything goes, and only loopback may be this machine."""
    assert may_be(address, Place.CLOUD)
    assert may_be(address, Place.DEVICE) is (address is Address.LOOPBACK)


@pytest.mark.parametrize(
    "model", ["gpt-oss:120b-cloud", "glm-4.6:cloud", "GLM-4.6:Cloud", "x-cloud:latest", "x:cloud "]
)
def test_a_cloud_model_of_a_local_server_is_cloud(model: str) -> None:
    """Ollama passes these on, so they count as cloud wherever Ollama runs."""
    assert place_of_model(Place.DEVICE, model) is Place.CLOUD


@pytest.mark.parametrize("model", ["qwen3:8b", "cloudy:7b", "cloud", "my-cloud-model:1b", ""])
def test_other_models_run_where_the_server_does(model: str) -> None:
    """A name that only holds the word changes nothing."""
    assert place_of_model(Place.DEVICE, model) is Place.DEVICE


@pytest.mark.parametrize("sign", ["\n", "\t", " ", "\0", "\x1b[31m", "\u202e", "\u2028", "\ud800"])
def test_an_address_is_printable(sign: str) -> None:
    """Nothing in it can break a line, colour a terminal or hide what stands there."""
    for address in (f"https://x.example/v1{sign}", f"https://x.example/{sign}v1", f"{sign}https://x.example/v1"):
        with pytest.raises(ValueError, match="not an address"):
            url_of(address)
