"""Runs a command and writes down what it cost: python3 measured.py OUT.json COMMAND…

wait4 counts the whole process, its threads and the children it waited for; Node cannot ask it.
"""
import json
import os
import sys

out, command = sys.argv[1], sys.argv[2:]
pid = os.posix_spawnp(command[0], command, os.environ)
_, status, usage = os.wait4(pid, 0)
with open(out, "w") as file:
    json.dump(
        {
            "exit_code": os.waitstatus_to_exitcode(status),
            "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "peak_memory_kb": usage.ru_maxrss,
        },
        file,
    )
