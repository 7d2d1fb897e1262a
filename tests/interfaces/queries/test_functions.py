"""Files of users: what running them may take."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from taut import OutOfTime, options
from taut.interfaces.queries.functions import load_function


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="the system has no alarms")
@pytest.mark.parametrize("swallow", [False, True])
def test_the_time_limit_holds_for_the_lines_of_a_file_itself(tmp_path: Path, swallow: bool) -> None:
    path = tmp_path / "endless.py"
    loop = "while True:\n    pass\n"
    once = "try:\n    while True:\n        pass\nexcept Exception:\n    pass\n"
    path.write_text((once if swallow else "") + loop)
    before = signal.getsignal(signal.SIGALRM)
    with options(time_limit=0.05), pytest.raises(OutOfTime, match="lines of the file itself"):
        load_function(f"{path}:f")
    assert signal.getsignal(signal.SIGALRM) is before and signal.getitimer(signal.ITIMER_REAL) == (0, 0)
