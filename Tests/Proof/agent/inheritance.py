"""What a child of the agent or of the auth server would get, whether they start one, and whether key pages go to swap.

Nothing is forked: threads share the memory, and no other program is started. Descriptors are closed in a program that would be.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import AUTHD, TASKVAULT, Home, as_other, free_port, not_run, wait_for, wait_for_start  # noqa: E402

CLOSED_IN_PROGRAMS = 0o2000000


def descriptors(process):
    """Those that a program would inherit, beside the standard ones."""
    kept, number_of_all = [], 0
    for name in os.listdir(f"/proc/{process}/fd"):
        try:
            with open(f"/proc/{process}/fdinfo/{name}") as file:
                flags = int(re.search(r"flags:\s+(\d+)", file.read()).group(1), 8)
        except FileNotFoundError:
            # That of the listing itself.
            continue
        number_of_all += 1
        if int(name) > 2 and not flags & CLOSED_IN_PROGRAMS:
            kept.append(f"{name}: {os.readlink(f'/proc/{process}/fd/{name}')}")
    return kept, number_of_all


def mappings(process):
    """Size, flags, permissions and swapped kilobytes of each mapping."""
    with open(f"/proc/{process}/smaps") as file:
        text = file.read()
    for part in re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", text):
        found = {name: value for name, value in re.findall(r"^(\w+):\s+(.*?)(?: kB)?$", part, re.M)}
        yield int(found["Size"]), found.get("VmFlags", "").split(), part.split()[1], int(found.get("Swap", 0))


def pages(home, process):
    """Locked pages: as many as are expected, left out of dumps, none in swap."""
    def of_keys():
        return [entry for entry in mappings(process) if "lo" in entry[1]]
    home.expect(0, "lock")
    before = len(of_keys())
    home.unlock()
    after = of_keys()
    assert len(after) > before, "nothing tells key pages from others"
    for size, flags, permissions, swapped in after:
        assert "dd" in flags and swapped == 0, (size, flags, permissions, swapped)
    assert any("dd" not in flags for _, flags, _, _ in mappings(process))
    print(f"control: {len(after) - before} more locked mappings while unlocked than before")
    return len(after)


def programs(line, environment, folder):
    """Runs under strace; the processes that were made, and the programs that were started, beside the first."""
    trace = folder + "/trace"
    subprocess.run(["strace", "-f", "-qq", "-e", "trace=fork,vfork,clone,clone3,execve", "-o", trace, *line], env=environment, cwd=folder,
                   capture_output=True, timeout=120)
    with open(trace) as file:
        lines = [text for text in file if "resumed" not in text]
    os.unlink(trace)
    forked = [text for text in lines if re.search(r"\b(v?fork|clone3?)\(", text) and "CLONE_VM" not in text.replace("CLONE_VFORK", "")]
    return forked, [text for text in lines if "execve(" in text]


def main():
    if os.geteuid() != 0:
        not_run("needs the administrator, who may look at the agent's descriptors")
    seen = 0
    with Home() as home:
        process = home.unlock()
        home.expect(0, "secret", "set", "mail.example", "ada", data=b"a value")
        kept, count = descriptors(process)
        assert kept == [] and count > 3, kept
        seen += count
        print(f"locked mappings: {pages(home, process)}")
        with open(home.folder + "/open", "w") as file:
            os.set_inheritable(file.fileno(), True)
            assert any("/open" in text for text in descriptors(os.getpid())[0])
            print("control: an inheritable descriptor is detected")
    with tempfile.TemporaryDirectory() as folder:
        address = f"127.0.0.1:{free_port()}"
        server = subprocess.Popen([AUTHD, "serve", "--database", folder + "/accounts.db", "--listen", address], stderr=subprocess.PIPE, cwd=folder)
        try:
            wait_for_start(server.stderr)
            kept, count = descriptors(server.pid)
            assert kept == [] and count > 3, kept
            seen += count
        finally:
            server.kill()
            server.wait()
    if not shutil.which("strace"):
        not_run("strace is missing")
    commands = 0
    with Home() as home:
        tracee = subprocess.Popen(
            ["strace", "-f", "-qq", "-e", "trace=fork,vfork,clone,clone3,execve", "-o", home.folder + "/trace", *home.words("agent")],
            env=home.environment, cwd=home.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for("it answers", lambda: home.status["process_id"])
        home.unlock()
        for words, data in (("secret set a b", b"x"), ("secret get a b", b""), ("secret list", b""), ("task add --protected", b"words\n"),
                            ("settings set idle-limit 10m", b""), ("lock", b"")):
            home.expect(0, *words.split(), data=data)
            commands += 1
        home.end_agent()
        tracee.wait(60)
        with open(home.folder + "/trace") as file:
            lines = file.readlines()
        assert any("CLONE_VM" in line for line in lines), "the trace sees its threads"
        assert not [line for line in lines if re.search(r"\b(fork|vfork)\(", line)], "the agent forks"
        assert not [line for line in lines if re.search(r"clone3?\(", line) and "CLONE_VM" not in line], "the agent forks"
        started = [line for line in lines if "execve(" in line]
        assert len(started) == 1 and TASKVAULT in started[0], started
        forked, programs_seen = programs(["/bin/sh", "-c", "/bin/true; /bin/true"], home.environment, home.folder)
        assert forked and len(programs_seen) > 1, (forked, programs_seen)
        print("control: a shell that starts programs is detected")
    print(f"proof: descriptors={seen} inherited=0 programs-started=0 forks=0")


main()
