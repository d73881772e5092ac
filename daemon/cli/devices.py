"""`nearloop devices`: what models can run on, how fast they do, and where each one runs."""

from __future__ import annotations

import click
import msgspec

from daemon import wire
from daemon.cli.terminal import row
from daemon.client import Client
from daemon.errors import BadRequest
from daemon.paths import paths

_KIND = {"cpu": "CPU", "igpu": "integrated GPU", "dgpu": "discrete GPU", "npu": "NPU"}
_EVENTS_S = 20.0


@click.command()
@click.argument("model", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the control API's answer.")
@click.option("--probe", is_flag=True, help="Measure MODEL on every device first; without MODEL, the default one.")
def devices(model: str | None, as_json: bool, probe: bool) -> None:
    """Show the devices of this machine, and where each model runs and why."""
    if model and not probe:
        raise BadRequest("a model is named to be measured: nearloop devices --probe MODEL")
    with Client(paths()) as client:
        if probe:
            _probe(client, model, quiet=as_json)
        found = client.devices()
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
        return
    for line in lines(found):
        row(line)


def _probe(client: Client, model: str | None, quiet: bool) -> None:
    """Have it measured, and tell how it goes until it is done."""
    since = client.events(None, 0).next
    name = client.begin_probe(model)
    while True:
        seen = client.events(since, _EVENTS_S)
        since = seen.next
        for event in seen.events:
            if event.kind == "state":
                raise BadRequest("too much happened meanwhile to follow it: `nearloop devices` shows the result")
            if event.kind != "probe":
                continue
            step = msgspec.convert(event.data, wire.ProbeStep)
            if step.model != name:
                continue
            if step.device is None:
                return
            if not quiet:
                click.echo(f"measuring {step.model} on {step.device} …")


def lines(found: wire.Devices) -> list[str]:
    """As sentences."""
    told = [f"OpenVINO {found.runtime} sees:"] if found.runtime else []
    told += [f"  {_device(device)}" for device in found.devices]
    told += [f"  no {absent.id}: {absent.why}" for absent in found.absent]
    if found.trouble:
        told.append(f"The devices can't be listed: {found.trouble}")
    for choice in found.choices:
        setting = "" if choice.setting == "auto" else " (set)"
        told.append(f"{choice.model} runs on {choice.device}{setting}: {choice.why}")
        told += [f"  {_measured(probe)}" for probe in choice.probes]
    if found.probing:
        told.append(f"Being measured: {found.probing}")
    told.append(f"The machine: {power(found.power)}")
    return told


def _device(device: wire.Device) -> str:
    words = f"{device.id}: {device.name}, {_KIND.get(device.kind, device.kind)}"
    if device.driver:
        words += f", driver {device.driver}"
    if device.memory_bytes:
        words += f", {device.memory_bytes / 1e9:.1f} GB"
    return words + (f", {' '.join(device.capabilities)}" if device.capabilities else "")


def _measured(probe: wire.Probe) -> str:
    when = probe.at.astimezone().strftime("%Y-%m-%d %H:%M")
    if probe.error or probe.short_s is None or probe.long_s is None:
        return f"{probe.device}, {when}: {probe.error}"
    words = (
        f"{probe.device}, {when}: loads in {probe.load_s:.1f} s; first token after {probe.short_s * 1000:.0f} ms for "
        f"{probe.short_tokens} tokens, {probe.long_s * 1000:.0f} ms for {probe.long_tokens}; writes "
        f"{probe.tokens_per_s} tokens a second; window {probe.context_tokens}"
    )
    return words + (f"; the machine was busy (load {probe.load:.1f} a core)" if probe.load > 0.5 else "")


def power(now: wire.Power) -> str:
    """What the machine can spare, in one line."""
    words = []
    if now.on_battery is not None:
        level = f", {now.battery_percent:.0f} %" if now.battery_percent is not None else ""
        words.append(f"on {'battery' if now.on_battery else 'mains'}{level}")
    if now.profile:
        words.append(f"power profile {now.profile}")
    if now.hottest_c is not None:
        words.append(f"{now.hottest_c:.0f} °C")
    if now.hot:
        words.append("throttled by heat")
    words.append(f"{now.memory_available_bytes / 1e9:.1f} of {now.memory_total_bytes / 1e9:.1f} GB memory available")
    if now.memory_stalled_percent:
        words.append(f"tasks waited for memory in {now.memory_stalled_percent:.0f} % of the last 10 s")
    return ", ".join([*words, f"load {now.load:.1f} a core"])
