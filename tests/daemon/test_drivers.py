"""What the drivers of Intel's devices lack, over trees as a machine shows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.drivers import Driver, drivers


def tree(root: Path, *files: str) -> Path:
    """Make files; `NAME=TEXT` has content."""
    for file in files:
        name, _, text = file.partition("=")
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text + "\n")
    return root


def on_bus(address: str, kind: str, vendor: str = "0x8086") -> tuple[str, str]:
    folder = f"sys/bus/pci/devices/{address}"
    return f"{folder}/vendor={vendor}", f"{folder}/class={kind}"


NPU = on_bus("0000:00:0b.0", "0x120000")
GPU = on_bus("0000:00:02.0", "0x030000")
NODE, RENDER = "dev/accel/accel0", "dev/dri/renderD128"
LOADER, NPU_LIBRARY = "usr/lib/x86_64-linux-gnu/libze_loader.so.1", "usr/lib/x86_64-linux-gnu/libze_intel_npu.so.1"
OPENCL, ICD = "usr/lib64/libOpenCL.so.1", "etc/OpenCL/vendors/intel.icd"


def look(root: Path, may: bool = True) -> dict[str, Driver]:
    return {state.device: state for state in drivers(root, lambda node: may)}


def test_nothing_there(tmp_path: Path) -> None:
    """A machine without Intel's devices needs nothing; another maker's chips are none of them."""
    tree(tmp_path, *on_bus("0000:01:00.0", "0x030000", "0x10de"), *on_bus("0000:02:00.0", "0x120000", "0x1002"))

    assert all(state.ok and not state.remedy for state in look(tmp_path).values())


@pytest.mark.parametrize(
    ("files", "may", "text", "remedy"),
    [
        (NPU, True, "not loaded", "modprobe intel_vpu"),
        ((*NPU, "sys/module/intel_vpu/version=1.0.0"), True, "loaded but made no device", "dmesg"),
        ((*NPU, NODE), False, "may not open dev/accel/accel0", "usermod -a -G render"),
        ((*NPU, NODE), True, "libze_loader.so.1 is missing", "level-zero"),
        ((*NPU, NODE, LOADER), True, "libze_intel_npu.so* is missing", "intel-level-zero-npu"),
    ],
)
def test_what_an_npu_lacks(files: tuple[str, ...], may: bool, text: str, remedy: str, tmp_path: Path) -> None:
    """Each missing step of an NPU's installation is told with what does it."""
    state = look(tree(tmp_path, *files), may)["NPU"]

    assert not state.ok
    assert text in state.text
    assert remedy in state.remedy


@pytest.mark.parametrize(
    ("files", "may", "text", "remedy"),
    [
        (GPU, True, "no /dev/dri/renderD", "i915 or xe"),
        ((*GPU, RENDER), False, "may not open dev/dri/renderD128", "usermod -a -G render"),
        ((*GPU, RENDER), True, "libOpenCL.so.1 is missing", "ocl-icd-libopencl1"),
        ((*GPU, RENDER, OPENCL), True, "no OpenCL driver", "intel-opencl-icd"),
        ((*GPU, RENDER, OPENCL, "etc/OpenCL/vendors/nvidia.icd"), True, "no OpenCL driver", "intel-opencl-icd"),
    ],
)
def test_what_a_gpu_lacks(files: tuple[str, ...], may: bool, text: str, remedy: str, tmp_path: Path) -> None:
    """Each missing step of a GPU's installation is told with what does it."""
    state = look(tree(tmp_path, *files), may)["GPU"]

    assert not state.ok
    assert text in state.text
    assert remedy in state.remedy


def test_all_is_there(tmp_path: Path) -> None:
    """Devices with all of their drivers need nothing, and the kernel driver's version is told."""
    files = (*NPU, NODE, LOADER, NPU_LIBRARY, "sys/module/intel_vpu/version=1.0.0", *GPU, RENDER, OPENCL, ICD)
    states = look(tree(tmp_path, *files))

    assert all(state.ok for state in states.values())
    assert "1.0.0" in states["NPU"].text


def test_this_machine() -> None:
    """The real files can be looked at by anybody."""
    assert [state.device for state in drivers()] == ["NPU", "GPU"]
