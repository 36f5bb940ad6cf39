"""Starting programs: once and measured, or to stay; in an environment that holds nothing of the user's."""

import os
import subprocess
import tempfile
import time

from .tool import Stopped, Wrong

HERE = os.path.dirname(os.path.abspath(__file__))


class Measured:
    def __init__(self, seconds, peak=None, output=b"", errors=b"", status=0):
        self.seconds, self.peak, self.output, self.errors, self.status = seconds, peak, output, errors, status

    @property
    def text(self):
        return self.output.decode(errors="replace")


class Machine:
    """A folder on a disk, with an empty home in it, the helpers compiled, and all processes that were started to stay."""

    def __init__(self, folder, limit):
        self.folder, self.limit = folder, limit
        self.staying = []
        for name in ("home", "run", "bin", "temporary"):
            os.makedirs(os.path.join(folder, name), mode=0o700)
        home = os.path.join(folder, "home")
        # Nothing is taken over but where programs and libraries are found.
        self.environment = {name: os.environ[name] for name in ("PATH", "LD_LIBRARY_PATH") if name in os.environ}
        self.environment |= {
            "HOME": home,
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TMPDIR": os.path.join(folder, "temporary"),
            "XDG_RUNTIME_DIR": os.path.join(folder, "run"),
            "XDG_CONFIG_HOME": os.path.join(home, "config"),
            "XDG_DATA_HOME": os.path.join(home, "data"),
            "XDG_STATE_HOME": os.path.join(home, "state"),
            "XDG_CACHE_HOME": os.path.join(home, "cache"),
            # Without an address a client would look for the user's bus.
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=" + os.path.join(folder, "run", "no-bus"),
        }
        self.launcher = self.compiled("launch")

    def compiled(self, name, *libraries):
        program = os.path.join(self.folder, "bin", name)
        subprocess.run(
            ["cc", "-O2", "-o", program, os.path.join(HERE, name + ".c"), *(f"-l{library}" for library in libraries)],
            check=True,
            env=dict(os.environ, TMPDIR=self.environment["TMPDIR"]),
        )
        return program

    def run(self, *command, input="", limit=None, succeed=True, **environment):
        """Runs a program to its end. Its output goes to memory, so that a long list is not a write to the disk."""
        limit = limit or self.limit
        if isinstance(input, str):
            input = input.encode()
        with memory() as source, memory() as output, memory() as errors:
            source.write(input)
            source.seek(0)
            receiving, report = os.pipe()
            try:
                launcher = subprocess.Popen(
                    [self.launcher, str(report), str(limit), *command],
                    stdin=source,
                    stdout=output,
                    stderr=errors,
                    pass_fds=(report,),
                    cwd=self.folder,
                    env=self.environment | environment,
                )
            finally:
                os.close(report)
            try:
                with open(receiving, "rb") as reading:
                    words = reading.read().split()
            except BaseException:
                launcher.terminate()
                raise
            finally:
                launcher.wait()
            output.seek(0)
            errors.seek(0)
            if len(words) != 4:
                raise Wrong(f"{command[0]} could not be started: {errors.read().decode(errors='replace').strip()}")
            if words[3] == b"1":
                raise Stopped(limit)
            status = os.waitstatus_to_exitcode(int(words[2]))
            measured = Measured(int(words[0]) / 1e9, int(words[1]), output.read(), errors.read(), status)
        if succeed and status != 0:
            raise Wrong(f"{' '.join(command[:3])} ended with {status}: {measured.errors.decode(errors='replace').strip()[:300]}")
        return measured

    def stay(self, *command, input=None, **environment):
        """Starts a program that stays until `end`."""
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=self.environment | environment,
        )
        self.staying.append(process)
        if input is not None:
            process.stdin.write(input.encode())
            process.stdin.close()
        return process

    def end(self, process):
        if process is None:
            return
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        if process in self.staying:
            self.staying.remove(process)

    def end_all(self):
        for process in list(self.staying):
            self.end(process)


def memory():
    return open(os.memfd_create("peers"), "w+b", buffering=0)


def resident(process_id):
    """What the system counts as resident of a process, in KiB."""
    try:
        with open(f"/proc/{process_id}/status") as status:
            for line in status:
                if line.startswith("VmRSS"):
                    return int(line.split()[1])
    except OSError:
        pass
    return None


def wait_until(condition, what, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Wrong(f"{what} does not come up")
        time.sleep(0.01)


def private_file(path, text):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
    return path


def temporary_folder():
    """On a disk: a save is only worth something if it was synced."""
    return tempfile.mkdtemp(prefix="peers-", dir=os.environ.get("TMPDIR", "/var/tmp"))
