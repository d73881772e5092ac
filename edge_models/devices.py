"""The devices that OpenVINO can compute on, and what their drivers tell of them.

A driver is native code that can crash when it is asked, so nothing here is called in the daemon: `device_query` reads the
table in a process of its own. The daemon knows the shapes only.
"""

from __future__ import annotations

from typing import Any, Final, Literal, Protocol

from msgspec import Struct

from edge_models.catalog import AUTO
from edge_models.engines.base import Unavailable

Kind = Literal["cpu", "igpu", "dgpu", "npu"]
CPU: Final = "CPU"

_DRIVER: Final = {"GPU": "GPU_DRIVER_VERSION", "NPU": "NPU_DRIVER_VERSION"}
_MEMORY: Final = {"GPU": "GPU_DEVICE_TOTAL_MEM_SIZE", "NPU": "NPU_DEVICE_TOTAL_MEM_SIZE"}
"""Properties of OpenVINO 2026.4's plugins, by plugin; the NPU's are documented in `ov_runtime_npu_prop_cpp_api`."""


class Core(Protocol):
    """What is asked of `openvino.Core`."""

    @property
    def available_devices(self) -> list[str]:
        """Names such as CPU, GPU.0, NPU."""
        ...

    def get_property(self, device: str, name: str) -> Any:
        """Raises RuntimeError if the plugin can't be loaded or does not know the property."""
        ...


class Device(Struct, frozen=True):
    """One device. id: OpenVINO's name for it. driver, memory_bytes: None if the plugin does not tell.

    memory_bytes: what it can address: the machine's memory for the CPU and what is integrated with it.
    capabilities: OpenVINO's OPTIMIZATION_CAPABILITIES, such as FP16, BF16, INT8.
    """

    id: str
    kind: Kind
    name: str
    driver: str | None
    memory_bytes: int | None
    capabilities: tuple[str, ...]


class Absent(Struct, frozen=True):
    """A kind of device that can't be used here. why: in words."""

    id: str
    why: str


class Table(Struct, frozen=True, tag="table"):
    """All of it. runtime: OpenVINO's version, with which numbers measured on a device lose their worth."""

    runtime: str
    devices: tuple[Device, ...]
    absent: tuple[Absent, ...]


class Refused(Struct, frozen=True, tag="refused"):
    """There is no table. message: why, and what to do."""

    message: str


def read_table(core: Core, runtime: str) -> Table:
    """Ask every plugin for its devices."""
    ids = core.available_devices
    devices = tuple(_device(core, id) for id in ids)
    absent = tuple(
        Absent(plugin, _why(core, plugin)) for plugin in _DRIVER if not any(_plugin(id) == plugin for id in ids)
    )
    return Table(runtime, devices, absent)


def found(wanted: str, ids: tuple[str, ...]) -> str | None:
    """The one of `ids` that `wanted` means: `GPU` is GPU.0, which is called GPU where there is one only."""
    if wanted in ids:
        return wanted
    other = {"GPU": "GPU.0", "GPU.0": "GPU", "NPU.0": "NPU"}.get(wanted)
    return other if other in ids else None


def missing(wanted: str, there: tuple[str, ...]) -> str:
    """The refusal of a model that is pinned to a device which is not here. there: what is, in words."""
    return (
        f"the device {wanted}, which the settings pin this model to, is not here; OpenVINO sees {', '.join(there)}. Install"
        f' its driver (`nearloop doctor` looks at them), or set device = "auto" for this model'
    )


def insist(wanted: str, device: str, engine: str) -> None:
    """Raise Unavailable if an engine that runs on `device` would serve a model that is pinned to another one."""
    if wanted not in (AUTO, device):
        raise Unavailable(
            f"the settings pin this model to {wanted}, and its engine, {engine}, runs on the {device} here: set"
            ' device = "auto" for this model, or take the engine openvino-genai'
        )


def _plugin(id: str) -> str:
    return id.partition(".")[0]


def _device(core: Core, id: str) -> Device:
    import psutil  # 10 ms that the daemon, which knows the shapes only, does not need

    plugin = _plugin(id)
    driver = _ask(core, id, _DRIVER[plugin]) if plugin in _DRIVER else None
    memory = _ask(core, id, _MEMORY[plugin]) if plugin in _MEMORY else psutil.virtual_memory().total
    return Device(
        id=id,
        kind=_kind(core, id),
        name=str(_ask(core, id, "FULL_DEVICE_NAME") or id).strip(),
        driver=None if driver is None else str(driver),
        memory_bytes=None if memory is None else int(memory),
        capabilities=tuple(str(word) for word in _ask(core, id, "OPTIMIZATION_CAPABILITIES") or ()),
    )


def _kind(core: Core, id: str) -> Kind:
    match _plugin(id):
        case "GPU":
            return "dgpu" if "DISCRETE" in str(_ask(core, id, "DEVICE_TYPE")).upper() else "igpu"
        case "NPU":
            return "npu"
        case _:
            return "cpu"


def _ask(core: Core, id: str, name: str) -> Any:
    try:
        return core.get_property(id, name)
    except (RuntimeError, TypeError):  # TypeError: a value that the Python binding has no type for
        return None


def _why(core: Core, plugin: str) -> str:
    """Why a plugin shows no device, which `available_devices` keeps to itself."""
    try:
        core.get_property(plugin, "AVAILABLE_DEVICES")
    except RuntimeError as error:
        message = str(error)
        if "not registered" in message:
            return f"this edition of OpenVINO has no {plugin} plugin"
        for library, name in (("OpenCL", "OpenCL's loader"), ("ze_loader", "Level Zero's loader")):
            if library in message:
                return f"{name} is not installed, which comes with the {plugin}'s driver"
        return f"OpenVINO's {plugin} plugin can't be loaded"
    return f"OpenVINO's {plugin} plugin finds none: this machine has no {plugin} that it knows, or no driver for it"
