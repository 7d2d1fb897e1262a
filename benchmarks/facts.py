"""The machine, the versions and the time of a run: what figures depend on besides the code."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import time
from pathlib import Path

__all__ = ["facts"]

PACKAGES = ("numpy", "scipy", "python-flint", "oxidd", "stormpy", "dp-accounting", "prv-accountant")


def facts() -> dict[str, str]:
    """Everything as text, in the order in which the page shows it."""
    found = {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "commit": _commit(),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": _memory(),
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}",
        "load at the start": f"{os.getloadavg()[0]:.1f}",
        "Python": platform.python_version(),
        "taut": _version("taut"),
    }
    found.update({package: _version(package) for package in PACKAGES})
    found["dice"] = "on the path" if shutil.which("dice") else "not installed"
    return found


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    def git(*words: str) -> str:
        where = Path(__file__).parent
        try:
            said = subprocess.run(["git", *words], cwd=where, capture_output=True, text=True, check=False)
        except OSError:
            return ""
        return said.stdout.strip() if said.returncode == 0 else ""

    commit = git("rev-parse", "--short", "HEAD") or "unknown"
    changed = git("status", "--porcelain", "--untracked-files=no", "--", "../src", "cases")
    return commit + (", with changes" if changed else "")


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        return f"{os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / (1 << 30):.1f} GB"
    except (ValueError, OSError, AttributeError):
        return "unknown"
