"""settings.toml: what is refused, in which words, and what an edit leaves alone."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from daemon.callers import token_hash
from daemon.errors import BadRequest, BadSettings, NotFound
from daemon.settings import (
    DEFAULT_PORT,
    DEFAULT_SCOPES,
    VERSION,
    Client,
    LocalModel,
    Records,
    Server,
    Settings,
    SettingsFile,
    Spending,
    Spent,
    parse,
)
from daemon.wire import PerDay

HASH = token_hash("nl_test")
CLIENT = Client(token_hash("nl_added"), ("infer:local",))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.toml"


def written(path: Path, text: str) -> SettingsFile:
    """A settings file with this text."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return SettingsFile(path)


# ---- reading --------------------------------------------------------------------------------------------------------


def test_an_empty_file_is_the_defaults() -> None:
    """Without a word from the user the daemon listens on its own port, refuses other users and keeps no words."""
    settings = parse("")

    assert settings == Settings()
    assert settings.server == Server(
        port=DEFAULT_PORT, hosts=(), origins=(), other_users="refuse", body_limit_mb=32, queue=256
    )
    assert settings.records == Records(content=False, keep_days=30)
    assert (settings.models, settings.clients) == ({}, {})


def test_a_missing_file_is_the_defaults(path: Path) -> None:
    """No file is the same as an empty one, and reading does not make one."""
    assert SettingsFile(path).settings == Settings()
    assert not path.exists()


def test_every_key_is_read() -> None:
    """A file that uses every key gives these values back."""
    settings = parse(f"""
        version = 1
        [server]
        port = 7000
        hosts = ["laptop.local"]
        origins = ["http://localhost:3000", "vscode-webview://abc"]
        other_users = "allow"
        body_limit_mb = 1
        queue = 0
        [models."my.model:7b"]
        path = "/models/a.gguf"
        engine = "scripted"
        device = "GPU.1"
        [models.second]
        path = "b"
        [models.third]
        path = "c.gguf"
        engine = "llama-cpp"
        [records]
        content = true
        keep_days = 7
        [clients.editor]
        token_hash = "{HASH}"
        scopes = ["admin"]
        [clients.plain]
        token_hash = "{HASH}"
    """)

    assert settings.server == Server(
        7000, ("laptop.local",), ("http://localhost:3000", "vscode-webview://abc"), "allow", 1, 0
    )
    assert list(settings.models.items()) == [
        ("my.model:7b", LocalModel("/models/a.gguf", "scripted", "GPU.1")),
        ("second", LocalModel("b", "openvino-genai", "auto")),
        ("third", LocalModel("c.gguf", "llama-cpp")),
    ]
    assert settings.records == Records(content=True, keep_days=7)
    assert settings.clients == {"editor": Client(HASH, ("admin",)), "plain": Client(HASH, DEFAULT_SCOPES)}


@pytest.mark.parametrize(
    ("text", "key", "near"),
    [
        ("sever = 1", "sever", "server"),
        ("[server]\nprot = 1", "server.prot", "port"),
        ("[records]\nkeep_day = 1", "records.keep_day", "keep_days"),
        ("[tools]\nfiting = false", "tools.fiting", "fitting"),
        ('[models.a]\npath = "x"\nengin = "scripted"', "models.NAME.engin", "engine"),
        (f'[clients.a]\ntoken_hash = "{HASH}"\nscope = []', "clients.NAME.scope", "scopes"),
    ],
)
def test_an_unknown_key_is_named_with_a_near_one(text: str, key: str, near: str) -> None:
    """A misspelt key is refused with its full path and the key that was meant."""
    with pytest.raises(BadSettings) as caught:
        parse(text, "/home/me/settings.toml")

    assert str(caught.value) == f"/home/me/settings.toml: unknown key {key!r}; did you mean {near!r}?"


def test_a_name_that_a_table_does_not_take_is_told_with_its_table() -> None:
    """Classes of tools are names on the left side, too."""
    with pytest.raises(BadSettings) as caught:
        parse('[tools.keys]\nlethal = "two"')

    assert str(caught.value) == "settings.toml: tools.keys: invalid enum value 'lethal'"


def test_an_unknown_key_like_no_other_lists_the_known_ones() -> None:
    """Where no key is near, all of that table are listed."""
    with pytest.raises(BadSettings) as caught:
        parse("[records]\nzzz = 1")

    assert (
        str(caught.value)
        == "settings.toml: unknown key 'records.zzz'; known keys: content, glass_wall, keep_days, receipts_keep_days"
    )


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('[server]\nport = "6327"', "server.port"),
        ("[server]\nport = 0", "server.port"),
        ("[server]\nport = 65536", "server.port"),
        ("[server]\nport = true", "server.port"),
        ("[server]\nhosts = 'laptop'", "server.hosts"),
        ("[server]\nbody_limit_mb = 0", "server.body_limit_mb"),
        ("[server]\nqueue = -1", "server.queue"),
        ("[server]\nother_users = 'maybe'", "server.other_users"),
        ("[records]\ncontent = 1", "records.content"),
        ("[records]\nkeep_days = 0", "records.keep_days"),
        ("[records]\nkeep_days = 1.5", "records.keep_days"),
        ("[models.a]\npath = 3", "models.NAME.path"),
        ("[models.a]\npath = 'x'\nengine = 'other'", "models.NAME.engine"),
        ("[clients.a]\ntoken_hash = 'ABC'", "clients.NAME.token_hash"),
        ("server = 3", "server"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named_by_its_key(text: str, key: str) -> None:
    """A value of the wrong type or out of range is refused with the full path of its key."""
    with pytest.raises(BadSettings) as caught:
        parse(text)

    assert str(caught.value).startswith(f"settings.toml: {key}: ")


@pytest.mark.parametrize("device", ["gpu", "TPU", "GPU.", "NPU.x", "AUTO", "GPU,CPU", ""])
def test_a_device_that_is_none_is_refused(device: str) -> None:
    """Only OpenVINO's names of single devices are taken, so that nothing else is reached through this key."""
    with pytest.raises(BadSettings, match=r"models\.a.*auto, CPU, GPU"):
        parse(f'[models.a]\npath = "x"\ndevice = "{device}"')


def test_a_model_without_a_path_is_refused() -> None:
    """A model's one required key is asked for by name."""
    with pytest.raises(BadSettings, match=r"models\.NAME: .*`path`"):
        parse("[models.a]\nengine = 'scripted'")


def test_a_newer_version_is_refused_with_the_remedy() -> None:
    """A file of a newer Nearloop says so, before anything in it is judged."""
    with pytest.raises(BadSettings) as caught:
        parse(f"version = {VERSION + 1}\nnew_key = 1")

    assert f"version {VERSION + 1}" in str(caught.value)
    assert "upgrade Nearloop" in str(caught.value)


@pytest.mark.parametrize("version", ["0", "-1", "true", "'1'", "1.0"])
def test_a_version_that_is_none_is_refused(version: str) -> None:
    """The version is a whole number from 1."""
    with pytest.raises(BadSettings, match="version must be a whole number"):
        parse(f"version = {version}")


def test_a_syntax_error_is_told_with_its_line() -> None:
    """TOML that can't be parsed is refused with the file and the line."""
    with pytest.raises(BadSettings) as caught:
        parse("[server]\nport = 1\nhosts = [\n= 3", "/home/me/settings.toml")

    assert str(caught.value).startswith("/home/me/settings.toml is not valid TOML: ")
    assert "line 4" in str(caught.value)


@pytest.mark.parametrize("name", ["Editor", "-a", "a b", "a.b", "ä", "a" * 41, ""])
def test_a_bad_client_name_is_refused(name: str) -> None:
    """A client's name is short, lower case and plain, so that it can stand in a log and a URL."""
    with pytest.raises(BadSettings, match="a name is 1 to 40"):
        parse(f'[clients."{name}"]\ntoken_hash = "{HASH}"')


@pytest.mark.parametrize("name", [".a", "a/b", "a b", "ä", "a" * 101, ""])
def test_a_bad_model_name_is_refused(name: str) -> None:
    """A model's name can't hold a slash, which parts provider and model in what clients write."""
    with pytest.raises(BadSettings, match="a name is 1 to 100"):
        parse(f'[models."{name}"]\npath = "x"')


@pytest.mark.parametrize(
    "origin", ["localhost:3000", "http://a/", "http://a/b", "*", "http://*", "http://*.a.com", "null", "http://"]
)
def test_what_is_no_origin_is_refused(origin: str) -> None:
    """An origin is a scheme and a host: no path, no wildcard, not `null`."""
    with pytest.raises(BadSettings, match="is not an origin"):
        parse(f'[server]\norigins = ["{origin}"]')


@pytest.mark.parametrize(
    ("text", "addresses"),
    [("", ()), ('host = "fd00::5"', ("fd00::5",)), ('host = ["172.17.0.1", "::1"]', ("172.17.0.1", "::1"))],
)
def test_addresses_are_one_or_several(text: str, addresses: tuple[str, ...]) -> None:
    """Of what is listened on besides loopback."""
    assert parse(f"[server]\n{text}\n").server.addresses == addresses


@pytest.mark.parametrize("host", ['"laptop.local"', '["172.17.0.1", ""]', '"224.0.0.1"', "6327"])
def test_what_is_no_address_is_refused(host: str) -> None:
    """With the key, before anything is started."""
    with pytest.raises(BadSettings, match=r"server\.host"):
        parse(f"[server]\nhost = {host}\n")


def test_a_blank_keyword_is_refused() -> None:
    """It would be in every request."""
    with pytest.raises(BadSettings, match=r"signals\.keywords\.now"):
        parse('[signals.keywords.now]\nkeywords = ["urgent", " "]\n')


def test_a_file_that_is_not_text_is_refused(path: Path) -> None:
    """Bytes that are not UTF-8 are told as such, with the file's name."""
    path.parent.mkdir()
    path.write_bytes(b"\xff\xfe")

    with pytest.raises(BadSettings, match=r"settings\.toml can't be read"):
        SettingsFile(path)


# ---- editing --------------------------------------------------------------------------------------------------------

COMMENTED = """\
# my settings
[records]   # what is kept
keep_days = 7  # a week

[models.b]
path = "b.gguf"

[models.a]
path = "a.gguf"

[clients.first]  # the editor
token_hash = "{hash}"
"""


def test_adding_a_client_keeps_comments_and_order(path: Path) -> None:
    """An edit adds what it adds, and every line that was there stays where it was."""
    before = COMMENTED.format(hash=HASH)
    file = written(path, before)

    settings = file.add_client("second", CLIENT)

    after = path.read_text()
    kept = [line for line in after.splitlines() if line in before.splitlines() and line]
    assert kept == [line for line in before.splitlines() if line]
    assert settings.clients == {"first": Client(HASH), "second": CLIENT}
    assert list(settings.models) == ["b", "a"]
    assert settings == file.settings == SettingsFile(path).settings


def test_adding_and_removing_gives_the_same_settings(path: Path) -> None:
    """A client that came and went leaves the settings and every comment as they were."""
    file = written(path, COMMENTED.format(hash=HASH))
    before = file.settings

    file.add_client("second", CLIENT)
    after = file.remove_client("second")

    assert after == before == SettingsFile(path).settings
    assert [line.partition("#")[2] for line in path.read_text().splitlines() if "#" in line] == [
        " my settings",
        " what is kept",
        " a week",
        " the editor",
    ]


def test_removing_one_client_leaves_the_others(path: Path) -> None:
    """Only the named client goes."""
    file = written(path, "")
    for name in ("a", "b", "c"):
        file.add_client(name, CLIENT)

    assert list(file.remove_client("b").clients) == ["a", "c"]
    assert list(SettingsFile(path).settings.clients) == ["a", "c"]


def test_removing_the_last_client_leaves_no_table(path: Path) -> None:
    """After the last client went the file has no empty table left over."""
    file = written(path, "")
    file.add_client("a", CLIENT)

    assert file.remove_client("a").clients == {}
    assert "clients" not in path.read_text()


@pytest.mark.parametrize(
    "text",
    [
        '[clients.one]\ntoken_hash = "{hash}"\n[server]\nport = 7000\n[clients.two]\ntoken_hash = "{hash}"\n',
        'clients.one.token_hash = "{hash}"\nclients.two.token_hash = "{hash}"\n',
        '[clients]\none = {{ token_hash = "{hash}" }}\ntwo = {{ token_hash = "{hash}" }}\n',
        'clients = {{ one = {{ token_hash = "{hash}" }}, two = {{ token_hash = "{hash}" }} }}\n',
    ],
    ids=["out of order", "dotted", "inline clients", "inline table"],
)
def test_every_way_to_write_clients_can_be_edited(path: Path, text: str) -> None:
    """However the user wrote the table of clients, one can be added to it and taken out of it."""
    file = written(path, text.format(hash=HASH))

    assert set(file.add_client("new", CLIENT).clients) == {"one", "two", "new"}
    assert set(file.remove_client("one").clients) == {"two", "new"}
    assert set(SettingsFile(path).settings.clients) == {"two", "new"}


@pytest.mark.parametrize(
    "text",
    [
        f'# mine\n[clients.one]  # first\ntoken_hash = "{HASH}" # x\ngroups = ["a"]\n',
        f'# mine\n[clients]\none = {{ token_hash = "{HASH}", groups = ["a"] }}\n',
        f'# mine\n[clients.one]\ntoken_hash = "{HASH}"\ngroups = ["a"]\n[clients.one.per_day]\nrequests = 7 # few\n',
    ],
    ids=["table", "inline", "limits as a table"],
)
def test_a_client_is_limited(path: Path, text: str) -> None:
    """What it may take a day is written, changed and taken out again, however it stood there; the rest stays as it was."""
    file = written(path, text)
    before = file.settings.clients["one"]

    limited = file.limit_client("one", PerDay(300, cost_usd=2.5)).clients["one"]
    assert limited == replace(before, per_day=PerDay(300, None, 2.5))
    assert parse(path.read_text()).clients["one"] == limited
    assert path.read_text().startswith("# mine\n")
    assert file.limit_client("one", PerDay(tokens=1)).clients["one"].per_day == PerDay(tokens=1)
    assert file.limit_client("one", PerDay()).clients["one"] == replace(before, per_day=PerDay())
    assert "per_day" not in path.read_text()
    with pytest.raises(NotFound, match=r"no \[clients\.two\]"):
        file.limit_client("two", PerDay(1))


@pytest.mark.parametrize(
    "said",
    ["", "providers = { work = { day_usd = 1.0 } }\n", "[spending.providers]\nwork = { day_usd = 1.0 }\n"],
    ids=["none", "inline", "in part"],
)
def test_what_may_be_spent_at_a_provider(path: Path, said: str) -> None:
    """It is written where it counts, changed and taken out, and what else stands there stays."""
    file = written(path, '# mine\n[providers.work]\nbase_url = "https://a.example/v1"\n[spending]\nday_usd = 3.0\n')

    limited = file.limit_provider("work", Spent(5.0, warn_at=0.5))

    assert limited.spending == Spending(3.0, providers={"work": Spent(5.0, warn_at=0.5)})
    assert parse(path.read_text()) == limited
    assert path.read_text().startswith("# mine\n")
    assert file.limit_provider("work", Spent(month_usd=9.0)).spending.providers == {"work": Spent(month_usd=9.0)}
    assert file.limit_provider("work", Spent()).spending.providers == {"work": Spent()}
    with pytest.raises(NotFound, match=r"no \[providers\.two\]"):
        file.limit_provider("two", Spent(1.0))


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ("requests = 0", "clients.NAME.per_day.requests"),
        ("cost_usd = -1.0", "clients.NAME.per_day.cost_usd"),
        ("request = 3", "did you mean 'requests'"),
    ],
)
def test_limits_that_are_none_are_refused(limits: str, words: str) -> None:
    """By their place; a misspelt one gets a hint."""
    with pytest.raises(BadSettings) as refused:
        parse(f'[clients.one]\ntoken_hash = "{HASH}"\nper_day = {{ {limits} }}\n')
    assert words in str(refused.value)


def test_hand_edits_made_meanwhile_are_kept(path: Path) -> None:
    """What the user wrote into the file after the daemon read it survives the daemon's edit."""
    file = written(path, "")
    path.write_text("# by hand\n[records]\nkeep_days = 3\n")

    settings = file.add_client("editor", CLIENT)

    assert settings.records.keep_days == 3
    assert settings.clients == {"editor": CLIENT}
    assert path.read_text().startswith("# by hand\n")


@pytest.mark.parametrize("broken", ["[server\n", "[server]\nprot = 1\n"])
def test_a_file_broken_by_hand_is_not_edited(path: Path, broken: str) -> None:
    """If the file can't be read any more, an edit is refused as bad settings and the file is left alone."""
    file = written(path, "")
    path.write_text(broken)

    with pytest.raises(BadSettings):
        file.add_client("editor", CLIENT)

    assert path.read_text() == broken
    assert file.settings == Settings()


def test_an_edit_that_would_be_bad_settings_is_not_written(path: Path) -> None:
    """A name that could not be read back is refused before the file changes."""
    file = written(path, "# untouched\n")

    with pytest.raises(BadSettings, match="a name is 1 to 40"):
        file.add_client("No Good", CLIENT)

    assert path.read_text() == "# untouched\n"
    assert file.settings == Settings()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no mode bits")
def test_the_file_is_private(path: Path) -> None:
    """A written file is for its user alone, even if it was not before, and so is a folder made for it."""
    file = SettingsFile(path)
    file.add_client("a", CLIENT)
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    path.chmod(0o644)

    file.add_client("b", CLIENT)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["settings.toml"]


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    """Who keeps settings.toml in a folder of dotfiles keeps the link; the edit goes to where it points."""
    kept = tmp_path / "dotfiles.toml"
    kept.write_text("# mine\n")
    link = tmp_path / "config" / "settings.toml"
    link.parent.mkdir()
    link.symlink_to(kept)

    SettingsFile(link).add_client("zed", Client("0" * 64))

    assert link.is_symlink()
    assert "# mine" in kept.read_text()
    assert "zed" in kept.read_text()


def test_a_model_is_written_behind_the_others(path: Path) -> None:
    """A model that is added stands last, so that `local` means what it meant; taken out, the file is as before."""
    text = '# mine\n[models.a]\npath = "/a.gguf"  # the good one\n'
    file = written(path, text)

    added = file.add_model("b", LocalModel("/b.gguf", device="NPU"))

    assert list(added.models) == ["a", "b"]
    assert SettingsFile(path).settings.models["b"].device == "NPU"
    assert "# the good one" in path.read_text()
    with pytest.raises(BadRequest):
        file.add_model("b", LocalModel("/c.gguf"))
    assert list(file.remove_model("b").models) == ["a"]


def test_a_model_is_put_in_front(path: Path) -> None:
    """The model that `local` shall mean goes to the front, with its comments; the others stay in their order."""
    text = (
        'version = 1\n\n[models.a]\npath = "/a.gguf"\n\n# quick\n[models."b.q8"]\npath = "/b.gguf"  # mine\nkeep = "2h"\n\n'
        '[policy]\nprivacy = "strict"\n\n[models.c]\npath = "/c.gguf"\n'
    )
    file = written(path, text)

    assert list(file.prefer_model("c").models) == ["c", "a", "b.q8"]
    settings = file.prefer_model("b.q8")

    assert list(settings.models) == ["b.q8", "c", "a"]
    assert settings.models["b.q8"].keep == "2h"
    assert settings.policy.privacy == "strict"
    assert "# mine" in path.read_text()
    with pytest.raises(NotFound, match=r"models\.d"):
        file.prefer_model("d")


def test_what_was_written_meanwhile_is_taken_in(path: Path) -> None:
    """`reread` sees another program's edit, and a broken file changes nothing."""
    file = written(path, "")
    path.write_text('[models.a]\npath = "/a.gguf"\n')
    assert list(file.reread().models) == ["a"]

    path.write_text("[models\n")

    with pytest.raises(BadSettings):
        file.reread()
    assert list(file.settings.models) == ["a"]


@pytest.mark.parametrize("keep", ["5 minutes", "10", "forever", "-1m", ""])
def test_a_time_that_is_none_is_refused(keep: str) -> None:
    """A time to keep a model is a number with its unit, or `pinned`; anything else names the key."""
    with pytest.raises(BadSettings, match=r"pool\.keep"):
        parse(f'[pool]\nkeep = "{keep}"')


def test_times_and_shares_are_read() -> None:
    """What loaded models may take is read, and has its defaults."""
    settings = parse(
        '[pool]\nkeep = "pinned"\nmemory_share = 0.5\n[models.a]\npath = "/a"\nkeep = "2h"\nmemory_mb = 900'
    )

    assert (settings.pool.keep, settings.pool.keep_default, settings.pool.memory_share) == ("pinned", "1h", 0.5)
    assert (settings.models["a"].keep, settings.models["a"].memory_mb) == ("2h", 900)
    for share in (0, 1.5):
        with pytest.raises(BadSettings, match=r"pool\.memory_share"):
            parse(f"[pool]\nmemory_share = {share}")


@pytest.mark.parametrize("memory_mb", ["1", "9223372036854", "99999999999999999999"])
def test_a_memory_that_no_model_could_have_is_refused(memory_mb: str) -> None:
    """Less than an interpreter takes, or more than any machine has, names the key."""
    with pytest.raises(BadSettings, match=r"memory_mb"):
        parse(f'[models.a]\npath = "/a"\nmemory_mb = {memory_mb}')


@pytest.mark.parametrize("path", ["", "/a\\u0000b"])
def test_a_path_that_is_none_is_refused(path: str) -> None:
    """No path at all, or one that no system takes, names the model."""
    with pytest.raises(BadSettings, match=r"\[models\.a\]: path has to be"):
        parse(f'[models.a]\npath = "{path}"')


def test_a_path_in_nobodys_home_is_refused() -> None:
    """`~` of a user who is not there names the model."""
    with pytest.raises(BadSettings, match=r"\[models\.a\]: path: ~nobody-of-that-name/x: there is no such user"):
        parse('[models.a]\npath = "~nobody-of-that-name/x"')


def test_several_keys_of_a_provider(tmp_path: Path) -> None:
    """They are written behind the others, each once and up to eight, and taken out again; comments stay."""
    path = tmp_path / "settings.toml"
    before = '# mine\nversion = 1\n[providers.work]  # the cloud\nbase_url = "https://w.example/v1"\n'
    path.write_text(before)
    file = SettingsFile(path)

    assert file.add_key("work", "keyring:a").providers["work"].sources == ("keyring", "keyring:a")
    assert file.add_key("work", "keyring:a").providers["work"].keys == ("keyring:a",)
    for number in range(6):
        file.add_key("work", f"keyring:{number}")
    with pytest.raises(BadRequest, match="has 8 keys"):
        file.add_key("work", "keyring:b")
    for source in file.settings.providers["work"].keys:
        file.remove_key("work", source)
    assert path.read_text() == before
    with pytest.raises(NotFound):
        file.add_key("other", "keyring:a")


@pytest.mark.parametrize(
    "key", ["sk-canary-0815", "env:sk-canary-0815", "keyring:UP", "keyring:", "keyring:a/b", "env:"]
)
def test_what_is_no_place_of_a_key(key: str) -> None:
    """A key that stands where its place belongs is refused, and not said back."""
    for line in (f'key = "{key}"', f'keys = ["{key}"]'):
        with pytest.raises(BadSettings) as refused:
            parse(f'[providers.work]\nbase_url = "https://w.example/v1"\n{line}\n')
        assert "0815" not in str(refused.value)
