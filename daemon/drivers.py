"""The drivers of Intel's GPUs and NPUs on Linux: which step of their installation is missing, and what does it.

Everything that OpenVINO needs is looked at in order: the chip on the PCI bus, the kernel's module, the device node and the
right to open it, and the library in user space. Sources: intel/linux-npu-driver `docs/overview.md`, OpenVINO's
"Configurations for Intel GPU", and those projects' issues (the render group is what is missing most often).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

_ROOT: Final = Path("/")
_INTEL: Final = "0x8086"
_DISPLAY: Final = "0x03"
_ACCELERATOR: Final = "0x1200"
"""PCI class codes: display controllers, and processing accelerators, which is what Intel's NPUs say they are."""
_LIBRARY_FOLDERS: Final = (
    "usr/lib/x86_64-linux-gnu",
    "lib/x86_64-linux-gnu",
    "usr/lib64",
    "lib64",
    "usr/lib",
    "usr/local/lib",
)
_GROUP: Final = "`sudo usermod -a -G render $USER`, then log out and in again"


class Driver(Struct, frozen=True):
    """The state of one kind of device. ok: nothing to do, also where there is no such device. remedy: empty if ok."""

    device: Literal["GPU", "NPU"]
    ok: bool
    text: str
    remedy: str = ""


def _may_use(node: Path) -> bool:
    return os.access(node, os.R_OK | os.W_OK)


def drivers(root: Path = _ROOT, may_use: Callable[[Path], bool] = _may_use) -> tuple[Driver, ...]:
    """Look at both kinds. root, may_use: for tests."""
    return _npu(root, may_use), _gpu(root, may_use)


def _npu(root: Path, may_use: Callable[[Path], bool]) -> Driver:
    nodes = sorted((root / "dev/accel").glob("accel*"))
    if not nodes and not _on_bus(root, _ACCELERATOR):
        return Driver("NPU", True, "no Intel NPU in this machine")
    if not nodes:
        module = (root / "sys/module/intel_vpu").exists()
        what = "its module intel_vpu is loaded but made no device" if module else "its module intel_vpu is not loaded"
        return Driver(
            "NPU",
            False,
            f"there is an NPU, and {what}",
            "take a kernel of 6.6 or later with linux-firmware, and `sudo modprobe intel_vpu`; `dmesg | grep vpu` says more",
        )
    if not any(may_use(node) for node in nodes):
        return Driver("NPU", False, f"there is an NPU, and this user may not open {nodes[0].relative_to(root)}", _GROUP)
    version = _version(root, "intel_vpu")
    for library, package in (
        ("libze_loader.so.1", "Level Zero's loader (level-zero, libze1)"),
        ("libze_intel_npu.so*", "the NPU's user-space driver (intel-level-zero-npu and intel-driver-compiler-npu)"),
    ):
        if not _library(root, library):
            return Driver("NPU", False, f"there is an NPU{version}, and {library} is missing", f"install {package}")
    return Driver("NPU", True, f"NPU: {nodes[0].name}{version}, with its user-space driver")


def _gpu(root: Path, may_use: Callable[[Path], bool]) -> Driver:
    if not _on_bus(root, _DISPLAY):
        return Driver("GPU", True, "no Intel GPU in this machine")
    nodes = sorted((root / "dev/dri").glob("renderD*"))
    if not nodes:
        return Driver(
            "GPU",
            False,
            "there is an Intel GPU, and the kernel made no /dev/dri/renderD… for it",
            "its module i915 or xe is not loaded: take a newer kernel with linux-firmware; `dmesg | grep drm` says more",
        )
    if not any(may_use(node) for node in nodes):
        return Driver(
            "GPU", False, f"there is an Intel GPU, and this user may not open {nodes[0].relative_to(root)}", _GROUP
        )
    if not _library(root, "libOpenCL.so.1"):
        text = "there is an Intel GPU, and OpenCL's loader libOpenCL.so.1 is missing"
        return Driver("GPU", False, text, "install ocl-icd-libopencl1 (Debian, Ubuntu) or ocl-icd (Fedora, Arch)")
    icds = [file.name for file in (root / "etc/OpenCL/vendors").glob("*.icd")]
    if not any("intel" in name for name in icds):
        text = "there is an Intel GPU, and no OpenCL driver for it"
        return Driver(
            "GPU", False, text, "install intel-opencl-icd (Debian, Ubuntu) or intel-compute-runtime (Fedora, Arch)"
        )
    return Driver("GPU", True, f"GPU: {nodes[0].name}, with OpenCL")


def _on_bus(root: Path, kind: str) -> bool:
    """Whether Intel has a device of this PCI class in the machine."""
    for device in (root / "sys/bus/pci/devices").glob("*"):
        if _text(device / "vendor") == _INTEL and _text(device / "class").startswith(kind):
            return True
    return False


def _version(root: Path, module: str) -> str:
    version = _text(root / "sys/module" / module / "version")
    return f" (driver {version})" if version else ""


def _library(root: Path, pattern: str) -> bool:
    return any(next((root / folder).glob(pattern), None) for folder in _LIBRARY_FOLDERS)


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""
