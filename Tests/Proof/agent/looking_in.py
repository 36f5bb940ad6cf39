"""Ways in which another process of the same user could look into the agent. Each must work on a process without its protection.

    looking_in.py               tries all, as a user without privileges
    looking_in.py try PROCESS   what is run as that user: prints the ways that worked
"""

import ctypes
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import Home, OTHER, as_other, not_run  # noqa: E402
from support.terminal import Session  # noqa: E402

library = ctypes.CDLL(None, use_errno=True)
NUMBERS = {"x86_64": {"ptrace": 101, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "pidfd_open": 434,
                      "pidfd_getfd": 438, "move_pages": 279},
           "aarch64": {"ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "pidfd_open": 434,
                       "pidfd_getfd": 438, "move_pages": 239}}[os.uname().machine]


def call(name, *arguments):
    return library.syscall(ctypes.c_long(NUMBERS[name]), *map(ctypes.c_void_p, arguments))


def read(name):
    def way(process):
        with open(f"/proc/{process}/{name}", "rb") as file:
            return bool(file.read(1)) or name in ("environ", "numa_maps")
    return way


def opened(name, flags):
    def way(process):
        os.close(os.open(f"/proc/{process}/{name}", flags))
        return True
    return way


def link(name):
    return lambda process: bool(os.readlink(f"/proc/{process}/{name}"))


def listed(name):
    return lambda process: os.listdir(f"/proc/{process}/{name}") is not None


def traced(request, data=0):
    def way(process):
        if call("ptrace", request, process, 0, data) != 0:
            return False
        os.kill(process, signal.SIGSTOP)
        os.waitpid(process, 0x40000000)
        call("ptrace", 17, process, 0, 0)
        os.kill(process, signal.SIGCONT)
        return True
    return way


def vector(name):
    # At a place where nothing is: what is allowed fails otherwise, with EFAULT.
    def way(process):
        place = (ctypes.c_size_t * 2)(16, 8)
        at = ctypes.addressof(place)
        return call(name, process, at, 1, at, 1, 0) >= 0 or ctypes.get_errno() == 14
    return way


def descriptor(process):
    handle = call("pidfd_open", process, 0)
    return call("pidfd_getfd", handle, 0, 0) >= 0


def pages(process):
    place = (ctypes.c_void_p * 1)(4096)
    status = (ctypes.c_int * 1)()
    return call("move_pages", process, 1, ctypes.addressof(place), 0, ctypes.addressof(status), 0) >= 0


def debugger(*words):
    def way(process):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([word.format(process, folder) for word in words], cwd=folder, capture_output=True, text=True, timeout=60)
            # By name: a debugger that fails itself may leave a core of its own.
            core = pathlib.Path(folder, f"core.{process}")
            return "0x" in done.stdout or (core.exists() and core.stat().st_size > 0)
    return way


WAYS = {
    "memory": opened("mem", os.O_RDONLY), "memory, to write": opened("mem", os.O_RDWR), "memory of its thread": lambda process: opened(
        f"task/{process}/mem", os.O_RDONLY)(process),
    "environment": read("environ"), "mappings": read("maps"), "mappings, in full": read("smaps"), "auxiliary vector": read("auxv"),
    "system call": read("syscall"), "page map": read("pagemap"), "counters": read("io"), "nodes": read("numa_maps"),
    "descriptors": listed("fd"), "descriptors' state": listed("fdinfo"), "mapped files": listed("map_files"),
    "program": link("exe"), "folder": link("cwd"), "root": link("root"), "name space": link("ns/mnt"), "a descriptor": link("fd/0"),
    "dump filter": opened("coredump_filter", os.O_RDWR), "references": opened("clear_refs", os.O_WRONLY),
    "attach": traced(16), "seize": traced(0x4206),
    "process_vm_readv": vector("process_vm_readv"), "process_vm_writev": vector("process_vm_writev"),
    "pidfd_getfd": descriptor, "kcmp": lambda process: call("kcmp", os.getpid(), process, 1, 0, 0) >= 0, "move_pages": pages,
}
if shutil.which("gdb"):
    WAYS |= {"gdb": debugger("gdb", "-q", "-batch", "-nx", "-p", "{0}", "-ex", "x/1xb $sp"),
             "gcore": debugger("gcore", "-o", "{1}/core", "{0}")}


def worked(way, process):
    try:
        return way(process)
    except (OSError, subprocess.TimeoutExpired):
        return False


def ways_into(process):
    # Where the checkout is, another user may not look.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        here = pathlib.Path(__file__).parent
        shutil.copytree(here.parent / "support", folder + "/support")
        shutil.copytree(here, folder + "/agent")
        done = subprocess.run(
            [*as_other(), "/usr/bin/python3", folder + "/agent/looking_in.py", "try", str(process)], capture_output=True, text=True, cwd="/tmp",
            timeout=300)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines())


def bring(home, state):
    process = home.unlock()
    if state == "locked":
        home.expect(0, "lock")
    elif state == "unlocked":
        home.expect(0, "settings", "set", "verification-window", "1s")
        while home.state != "unlocked":
            pass
    return process


def main():
    if os.geteuid() != 0:
        not_run("needs the administrator, to act as two users")
    if not shutil.which("gdb"):
        print("not run: looking in by gdb and gcore, gdb is missing")
    tries = 0
    open_to_all = subprocess.Popen([*as_other(), "/bin/sleep", "600"], cwd="/tmp")
    try:
        while (control := ways_into(open_to_all.pid)) != set(WAYS):
            missing = set(WAYS) - control
            if "attach" in missing:
                not_run("this machine lets nobody trace a process that is no child, so there is nothing to compare with")
            assert open_to_all.poll() is None and len(control) >= 20 and missing <= {"page map", "nodes", "move_pages"}, missing
            # A kernel without something cannot be asked for it.
            for name in missing:
                print(f"not run: looking in by {name}, this machine forbids it")
                del WAYS[name]
        print(f"control: {len(control)} of {len(WAYS)} ways work on a process of the same user without protection")
        for state in ("locked", "unlocked", "verified"):
            with Home(user=OTHER) as home:
                process = bring(home, state)
                assert (found := ways_into(process)) == set(), (state, found)
                assert home.state == state
                if state == "verified":
                    # What no agent stops: a program of its user may ask, as the user does.
                    home.expect(0, "secret", "set", "mail.example", "ada", data=b"a value")
                    assert home.expect(0, "secret", "get", "mail.example", "ada").stdout == b"a value"
                tries += len(WAYS)
        with Home(user=OTHER) as home, Session(home.words("--no-agent", "secret", "list"), home.environment, home.folder) as session:
            session.wait_for("Passphrase: ")
            session.type(home.passphrase)
            assert (found := ways_into(session.process.pid)) == set(), ("prompt", found)
            tries += len(WAYS)
    finally:
        open_to_all.kill()
        open_to_all.wait()
    print(f"proof: tries={tries} worked=0 ways-seen={len(WAYS)}")


if len(sys.argv) == 3:
    for name, way in WAYS.items():
        if worked(way, int(sys.argv[2])):
            print(name, flush=True)
else:
    main()
