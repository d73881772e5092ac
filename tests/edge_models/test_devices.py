"""The table of devices, over a core that tells what we want, and over this machine's own."""

from __future__ import annotations

from typing import Any

import pytest

from edge_models import openvino_gate
from edge_models.devices import Device, found, missing, read_table


class FakeCore:
    """A core with devices of our own. properties: by device and name; an error there is raised."""

    def __init__(self, properties: dict[str, dict[str, Any]]) -> None:
        self._properties = properties

    @property
    def available_devices(self) -> list[str]:
        return [id for id, properties in self._properties.items() if "FULL_DEVICE_NAME" in properties]

    def get_property(self, device: str, name: str) -> Any:
        value = self._properties.get(device, {}).get(name, RuntimeError(f"Unsupported property {name}"))
        if isinstance(value, Exception):
            raise value
        return value


LAPTOP = FakeCore(
    {
        "CPU": {"FULL_DEVICE_NAME": "Intel(R) Core(TM) Ultra 7 155H ", "OPTIMIZATION_CAPABILITIES": ["FP32", "INT8"]},
        "GPU.0": {
            "FULL_DEVICE_NAME": "Intel(R) Arc(TM) Graphics (iGPU)",
            "DEVICE_TYPE": "Type.INTEGRATED",
            "GPU_DRIVER_VERSION": "24.39.31294",
            "GPU_DEVICE_TOTAL_MEM_SIZE": 14 << 30,
            "OPTIMIZATION_CAPABILITIES": ["FP16", "INT8"],
        },
        "GPU.1": {"FULL_DEVICE_NAME": "Intel(R) Arc(TM) A370M", "DEVICE_TYPE": "Type.DISCRETE"},
        "NPU": {
            "FULL_DEVICE_NAME": "Intel(R) AI Boost",
            "NPU_DRIVER_VERSION": 1004512,
            "NPU_DEVICE_TOTAL_MEM_SIZE": 8 << 30,
            "OPTIMIZATION_CAPABILITIES": TypeError("Unable to convert function return value"),
        },
    }
)


def test_every_device_with_what_its_driver_tells() -> None:
    """Names, kinds, drivers, memory and capabilities are read, and what a driver does not tell is None."""
    table = read_table(LAPTOP, "2026.4.1")
    cpu, integrated, discrete, npu = table.devices

    assert (cpu.kind, cpu.name, cpu.driver) == ("cpu", "Intel(R) Core(TM) Ultra 7 155H", None)
    assert cpu.memory_bytes and cpu.memory_bytes > 1 << 28
    assert integrated == Device(
        "GPU.0", "igpu", "Intel(R) Arc(TM) Graphics (iGPU)", "24.39.31294", 14 << 30, ("FP16", "INT8")
    )
    assert (discrete.kind, discrete.driver, discrete.memory_bytes, discrete.capabilities) == ("dgpu", None, None, ())
    assert (npu.kind, npu.driver, npu.memory_bytes, npu.capabilities) == ("npu", "1004512", 8 << 30, ())
    assert table.absent == ()


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ([], "no driver"),
        (RuntimeError("Cannot load library libX.so: libOpenCL.so.1: cannot open shared object"), "OpenCL's loader"),
        (RuntimeError("libze_loader.so.1: cannot open shared object file"), "Level Zero's loader"),
        (RuntimeError('Device with "NPU" name is not registered in the OpenVINO Runtime'), "has no GPU plugin"),
        (RuntimeError("something new"), "can't be loaded"),
    ],
)
def test_why_a_device_is_absent(answer: object, why: str) -> None:
    """A plugin that shows no device says what it lacks, where OpenVINO's list of devices is just shorter."""
    core = FakeCore({"CPU": {"FULL_DEVICE_NAME": "x"}, "GPU": {"AVAILABLE_DEVICES": answer}})

    absent = {device.id: device.why for device in read_table(core, "1").absent}

    assert why in absent["GPU"]
    assert set(absent) == {"GPU", "NPU"}


@pytest.mark.parametrize(
    ("wanted", "ids", "meant"),
    [
        ("GPU", ("CPU", "GPU"), "GPU"),
        ("GPU", ("CPU", "GPU.0", "GPU.1"), "GPU.0"),
        ("GPU.0", ("CPU", "GPU"), "GPU"),
        ("GPU.1", ("CPU", "GPU"), None),
        ("GPU.1", ("CPU", "GPU.0", "GPU.1"), "GPU.1"),
        ("NPU", ("CPU", "GPU"), None),
        ("CPU", ("CPU",), "CPU"),
    ],
)
def test_what_a_name_means(wanted: str, ids: tuple[str, ...], meant: str | None) -> None:
    """`GPU` is the first GPU, however many there are; a device that is not there is never another one."""
    assert found(wanted, ids) == meant


def test_a_missing_device_is_refused_with_what_is_there() -> None:
    """The refusal names what was wanted, what there is, and both ways out."""
    told = missing("NPU", ("CPU (x)", "GPU (y)"))

    assert all(word in told for word in ("NPU", "CPU (x), GPU (y)", "driver", 'device = "auto"'))


def test_this_machine() -> None:
    """OpenVINO itself is asked through the gate: there is a CPU, and each other kind is there or says why not."""
    table = read_table(openvino_gate.core(), openvino_gate.versions()["openvino"])

    cpu = next(device for device in table.devices if device.id == "CPU")
    assert cpu.kind == "cpu" and cpu.name and cpu.memory_bytes
    assert "FP32" in cpu.capabilities
    kinds = {device.id.partition(".")[0] for device in table.devices} | {absent.id for absent in table.absent}
    assert kinds == {"CPU", "GPU", "NPU"}
