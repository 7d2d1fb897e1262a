"""A small script that starts programs for its parent process and reports the resources of each.

On Linux the peak memory of a process begins with that of the one it was started from. So a tool is started from here,
where that is little. A line of standard input is a JSON list: the path of the output, that of the errors, the command.
A line of standard output is a JSON list: exit code, CPU seconds, bytes, wall seconds; or a text if it does not start.
"""

import json
import os
import sys
import time

if __name__ == "__main__":
    unit = 1 if sys.platform == "darwin" else 1024
    for line in sys.stdin:
        out, err, command = json.loads(line)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        actions = [
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, out, flags, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, err, flags, 0o600),
        ]
        start = time.perf_counter()
        try:
            pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
        except OSError as problem:
            print(json.dumps(problem.strerror or str(problem)), flush=True)
            continue
        _, status, usage = os.wait4(pid, 0)
        seconds = time.perf_counter() - start
        told = [os.waitstatus_to_exitcode(status), usage.ru_utime + usage.ru_stime, usage.ru_maxrss * unit, seconds]
        print(json.dumps(told), flush=True)
