"""A command at a pseudo-terminal, and a person who answers it."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time


class Session:
    def __init__(self, words, environment, folder, size=(50, 200), term=None):
        self.main, device = pty.openpty()
        fcntl.ioctl(device, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self.device = device
        # Before anybody can change them.
        self.settings_before = self.settings
        self.seen = b""
        if term:
            environment = environment | {"TERM": term}

        def own():
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)
            # Who starts this in the background has them ignored.
            for number in (signal.SIGINT, signal.SIGQUIT):
                signal.signal(number, signal.SIG_DFL)

        self.process = subprocess.Popen(
            words, stdin=device, stdout=device, stderr=device, env=environment, cwd=folder, start_new_session=True, preexec_fn=own)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            try:
                os.killpg(self.process.pid, signal.SIGCONT)
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            self.process.wait()
        os.close(self.main)
        os.close(self.device)

    def read(self, seconds=0.05):
        """What came meanwhile is added to what was seen."""
        ready, _, _ = select.select([self.main], [], [], seconds)
        if ready:
            self.seen += os.read(self.main, 1 << 16)
        return bool(ready)

    def wait_for(self, words, seconds=20):
        """Waits until the words are on the screen, after what was looked at before."""
        wanted = words.encode() if isinstance(words, str) else words
        start = getattr(self, "looked", 0)
        end = time.monotonic() + seconds
        while (found := self.seen.find(wanted, start)) < 0:
            self.read()
            if self.process.poll() is not None and not self.read(0.1) and self.seen.find(wanted, start) < 0:
                raise AssertionError(f"ended without {words!r}: {self.seen[-300:]!r}")
            if time.monotonic() > end:
                raise AssertionError(f"no {words!r}: {self.seen[-300:]!r}")
        self.looked = found + len(wanted)

    def type(self, text):
        os.write(self.main, text.encode() if isinstance(text, str) else text)

    def answer(self, question, text):
        self.wait_for(question)
        self.type(text + "\n")

    def finish(self, seconds=60):
        """Reads to the end; the answer is the exit code, or minus the signal."""
        end = time.monotonic() + seconds
        while self.process.poll() is None:
            self.read()
            assert time.monotonic() < end, f"still running: {self.process.args!r} {self.seen[-300:]!r}"
        while self.read(0.05):
            pass
        return self.process.returncode

    @property
    def settings(self):
        return termios.tcgetattr(self.device)

    @property
    def echoes(self):
        return bool(self.settings[3] & termios.ECHO)
