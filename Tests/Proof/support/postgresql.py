"""A PostgreSQL server in a folder of its own, on a Unix socket there; as another user if this one is root, whom PostgreSQL refuses."""

import glob
import os
import pwd
import shutil
import subprocess
import time
import urllib.parse

from support.product import kill, wait_for


class PostgreSQL:
    def __init__(self, folder):
        self.folder, self.process = folder, None
        names = {user.pw_name for user in pwd.getpwall()}
        self.user = pwd.getpwuid(os.getuid()).pw_name if os.getuid() else "postgres" if "postgres" in names else "nobody"
        self.address = f"postgresql://vault@{urllib.parse.quote(folder, safe='')}/postgres?requirepeer={self.user}"
        os.mkdir(folder, 0o755)
        if os.getuid() == 0:
            shutil.chown(folder, self.user)
        self._run("initdb", "-D", "data", "-U", "vault", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions")

    @staticmethod
    def programs():
        """The folder of the newest version's programs on Debian; None without one."""
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"), key=lambda path: int(path.split("/")[4]))
        return os.path.dirname(found[-1]) if found else None

    def _words(self, program, *words):
        entry = pwd.getpwnam(self.user)
        other = [] if os.getuid() else ["setpriv", f"--reuid={entry.pw_uid}", f"--regid={entry.pw_gid}", "--clear-groups"]
        return [*other, os.path.join(self.programs(), program), *words]

    def _run(self, program, *words):
        subprocess.run(self._words(program, *words), cwd=self.folder, check=True, capture_output=True)

    def start(self):
        """Starts it, and waits until it answers. After a kill, its other processes may still be ending; one that runs stays."""
        end = time.monotonic() + 60
        while time.monotonic() < end:
            if not self.process or self.process.poll() is not None:
                self.process = subprocess.Popen(
                    self._words("postgres", "-D", "data", "-k", self.folder, "-c", "listen_addresses=", "-c", "shared_buffers=16MB"),
                    cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            ready = subprocess.run(self._words("pg_isready", "-q", "-h", self.folder), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            if ready.returncode == 0:
                return
            time.sleep(0.05)
        raise AssertionError("PostgreSQL does not start")

    def kill(self):
        """Ends its first process at once; the others notice."""
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(3)
            self.process.wait(60)
        wait_for("PostgreSQL's processes have ended", lambda: not self._others())
        shutil.rmtree(self.folder, ignore_errors=True)

    def _others(self):
        """Its processes: those with its data as their folder."""
        data, found = os.path.realpath(os.path.join(self.folder, "data")), []
        for place in glob.glob("/proc/[0-9]*/cwd"):
            try:
                if os.readlink(place) == data:
                    found.append(int(place.split("/")[2]))
            except OSError:
                pass
        return found
