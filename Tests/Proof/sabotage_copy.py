"""A copy of the tree, in which sabotages are built and tried."""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

ISSUE = re.compile(r'✘ Test (.+?) recorded an issue(?: with \d+ arguments?.*?)? at (\S+?):\d+')
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
COUNT = re.compile(r"Test run with (\d+) tests?")


class Outcome:
    """What became of a build or a run of tests."""

    def __init__(self, status, output, hangs=False):
        self.isGood = status == 0
        self.hangs = hangs
        self.output = output = COLOUR.sub("", output)
        counts = COUNT.findall(output)
        self.tests = int(counts[-1]) if counts else 0
        self.failed = list(dict.fromkeys(f"{file}: {test}" for test, file in ISSUE.findall(output)))

    @property
    def noticed(self):
        """Who noticed, in words, or None."""
        if self.hangs:
            return "a test that did not come to its end"
        if self.isGood:
            return None
        if self.failed:
            more = len(self.failed) - 1
            return self.failed[0] + (f" and {more} more" if more else "")
        return "the tests' process, which crashed"


class Copy:
    """The tree as it is now, changes that are not committed included. It stays, and with it what was built."""

    def __init__(self, root, folder):
        self.root = root
        self.folder = folder
        self.tree = folder / "tree"
        self.tree.mkdir(parents=True, exist_ok=True)
        self.temporary = pathlib.Path(tempfile.mkdtemp(prefix="sabotage-"))
        # As the system's own: tests start programs as other users.
        self.temporary.chmod(0o1777)
        self.environment = dict(os.environ, SWIFT_BACKTRACE="enable=no", TMPDIR=str(self.temporary), LC_ALL="C.UTF-8")

    def setUp(self):
        """Sees to it that the libraries and tools are there, as each run of the tests does."""
        command = '. Tests/setup --all && env -0'
        output = subprocess.run(["bash", "-c", command], cwd=self.tree, env=self.environment, check=True, stdout=subprocess.PIPE).stdout
        self.environment = dict(line.split("=", 1) for line in output.decode().split("\0") if "=" in line)

    def close(self):
        self._endLeftovers()
        shutil.rmtree(self.temporary, ignore_errors=True)

    def refresh(self):
        """Takes over the tree."""
        git = dict(os.environ, GIT_INDEX_FILE=str(self.folder / "index"), GIT_WORK_TREE=str(self.root),
                   GIT_DIR=self._git(dict(os.environ), "rev-parse", "--absolute-git-dir"))
        self._git(git, "add", "--all")
        tree = self._git(git, "write-tree")
        git.update(GIT_INDEX_FILE=str(self.folder / "index.copy"), GIT_WORK_TREE=str(self.tree))
        self._git(git, "read-tree", "--reset", "-u", tree)
        vectors = self.folder / "shared"
        if not vectors.exists() and (self.root.parent / "shared").is_dir():
            vectors.unlink(missing_ok=True)
            vectors.symlink_to((self.root.parent / "shared").resolve())
        self.files = self._git(git, "ls-files", "--stage", "--", "Package.swift", "Sources", "Tests", ":!Tests/Proof").splitlines()

    def digest(self, targets):
        """Of what a sabotage and its tests depend on: everything but other tests."""
        def matters(line):
            folder = re.search(r"\tTests/\w+/(\w+Tests)/", line)
            return not folder or folder[1] in targets
        return hashlib.sha256("\n".join(filter(matters, self.files)).encode()).hexdigest()

    def _git(self, environment, *arguments):
        return subprocess.run(["git", *arguments], cwd=self.root, env=environment, check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    @contextlib.contextmanager
    def sabotaged(self, sabotage):
        path = self.tree / sabotage.file
        original = path.read_text()
        path.write_text(sabotage.applied(original))
        try:
            yield
        finally:
            path.write_text(original)

    def build(self, targets):
        """Builds what these test targets need, and nothing else."""
        return self._run(targets, 1_800, "swift", "build", "--build-tests")

    def test(self, targets, filters, limit):
        """Runs what `swift test --skip-build --filter` would, without the time that it takes to find out that there is nothing to build."""
        expression = "^(" + "|".join(filter.replace(".", r"\.") for filter in filters) + r")[./(]"
        # Tests look for the executables beside it, whatever their own folder is.
        bundle = str(self.tree / ".build/debug/TaskVaultPackageTests.xctest")
        return self._run(targets, limit, bundle, "--testing-library", "swift-testing", "--filter", expression)

    def _run(self, targets, limit, *command):
        environment = dict(self.environment, TASKVAULT_TESTS="|".join(targets))
        process = subprocess.Popen(command, cwd=self.tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
        hangs = False
        try:
            output = process.communicate(timeout=limit)[0]
        except subprocess.TimeoutExpired:
            hangs = True
        finally:
            # Also when a person ends this program: nothing of it goes on.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            self._endLeftovers()
        if hangs:
            output = process.communicate()[0]
        (self.folder / "last.log").write_text(output)
        return Outcome(process.returncode, output, hangs)

    def _endLeftovers(self):
        """Ends what tests left: programs that were built here, and servers that keep their files in our temporary folder."""
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            for link, folder in (("exe", self.tree / ".build"), ("cwd", self.temporary)):
                with contextlib.suppress(OSError):
                    if pathlib.Path(os.readlink(process / link)).is_relative_to(folder.resolve()):
                        os.kill(int(process.name), signal.SIGKILL)
        for path in self.temporary.iterdir():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)


class Memory:
    """What was caught, each with the state of code and tests, so that a run that ended goes on where it stopped."""

    def __init__(self, path, copy):
        self.path = path
        self.copy = copy
        self.caught = {}
        with contextlib.suppress(OSError, ValueError):
            self.caught = json.loads(path.read_text())

    def knows(self, sabotage):
        known = self.caught.get(sabotage.name, {})
        return (known.get("sabotage"), known.get("code")) == (sabotage.digest, self.copy.digest(sabotage.targets))

    def note(self, sabotage, seconds, by):
        self.caught[sabotage.name] = {"sabotage": sabotage.digest, "code": self.copy.digest(sabotage.targets), "seconds": round(seconds), "by": by}
        self.path.write_text(json.dumps(self.caught, indent=1, ensure_ascii=False))
