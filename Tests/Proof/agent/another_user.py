"""Another user of the machine: as client of the agent, as one who looks in or replaces files, and as an agent in the socket's place."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from support.product import OTHER, Home, as_other, not_run, wait_for  # noqa: E402

OWNER, STRANGER = OTHER, OTHER - 1
HELLO = b"\x00TVAG" + (1).to_bytes(4, "little") + (1).to_bytes(4, "little") + b"x"
HELLO = len(HELLO).to_bytes(4, "little") + HELLO
TALK = """
import socket, sys
client = socket.socket(socket.AF_UNIX); client.connect(sys.argv[1]); client.settimeout(5)
try:
    client.sendall(bytes.fromhex(sys.argv[2]))
    print(client.recv(1000).hex())
except ConnectionError:
    print()
"""


def talk(user, path):
    """What the agent answers a hello of this user."""
    done = subprocess.run([*as_other(user), "/usr/bin/python3", "-c", TALK, path, HELLO.hex()], capture_output=True, text=True, cwd="/", timeout=60)
    return done.stdout.strip() if done.returncode == 0 else "refused by the system"


def shell(user, line):
    return subprocess.run([*as_other(user), "/bin/sh", "-c", line], capture_output=True, cwd="/", timeout=60).returncode == 0


def as_client():
    """The agent itself refuses: the folders are opened to all, as if their owner had been careless."""
    with Home(user=OWNER) as home:
        process = home.unlock()
        path = home.path + "/agent.sock"
        assert talk(STRANGER, path) == "refused by the system"
        os.chmod(home.folder, 0o755)
        os.chmod(home.path, 0o755)
        os.chmod(path, 0o777)
        assert talk(OWNER, path), "the owner is answered"
        print("control: the owner gets an answer, others none")
        tries = 0
        for user in (STRANGER, STRANGER - 1):
            for _ in range(10):
                answer = talk(user, path)
                assert answer == "", answer
                tries += 1
        os.chmod(home.path, 0o700)
        os.chmod(path, 0o600)
        assert home.state == "verified" and home.status["process_id"] == process
        # The administrator is one of those who are not the owner, and may read all memory anyway.
        doors = [f"cat {home.vault}", f"ls {home.path}", f"echo > {home.vault}", f"rm -f {home.vault} && [ ! -e {home.vault} ]",
                 f"mv {home.path} {home.folder}/other", f"ln -s /etc/passwd {home.path}/tasks.db", f"cat /proc/{process}/environ",
                 f"cat /proc/{process}/maps", f"ls /proc/{process}/fd", f"cp /proc/{process}/exe /dev/null", f"kill -0 {process}",
                 f"kill -USR1 {process}", f"kill -KILL {process}", f"gdb -batch -p {process} 2>&1 | grep -q 'in '",
                 f"prlimit --pid {process} --nofile=3", f"renice -n 5 -p {process}",
                 f"TASKVAULT_HOME={home.path} {home.program} secret list", f"TASKVAULT_HOME={home.path} {home.program} lock && false"]
        for door in doors[:-1]:
            assert not shell(STRANGER, door), door
        shell(STRANGER, doors[-1])
        assert home.state == "verified", "a stranger has locked it"
        for door in ("cat {}", "kill -0 {}"):
            assert shell(OWNER, door.format(home.vault if "cat" in door else process)), door
        print("control: the owner succeeds where others fail")
        return tries + len(doors)


def squat(path, folder_mode):
    """A listener of the stranger at some path; what it is sent is collected."""
    listener = socket.socket(socket.AF_UNIX)
    folder = os.path.dirname(path)
    os.makedirs(folder, exist_ok=True)
    listener.bind(path)
    for name in (path, folder):
        os.chown(name, STRANGER, STRANGER)
    os.chmod(folder, folder_mode)
    os.chmod(path, 0o777)
    listener.listen()
    heard = []

    def serve():
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            client.settimeout(2)
            # Whatever is said before an answer, the passphrase of an eager client above all.
            try:
                while part := client.recv(65536):
                    heard.append(part)
            except OSError:
                pass
            client.close()

    threading.Thread(target=serve, daemon=True).start()
    return listener, heard


def in_its_place():
    """Places that the stranger took before: none is told anything. The owner's own is, so that it is seen."""
    tries = 0
    for kind in ("owner", "folder of the stranger", "socket of the stranger", "folder for all", "sticky folder", "runtime folder"):
        with Home(user=OWNER) as home:
            if kind == "runtime folder":
                # Where others may make files, such as /tmp: the first to come has made it.
                runtime = home.folder + "/run"
                os.mkdir(runtime)
                os.chmod(runtime, 0o1777)
                home.environment.pop("TASKVAULT_HOME")
                home.environment |= {"XDG_RUNTIME_DIR": runtime, "XDG_DATA_HOME": home.folder + "/data", "XDG_CONFIG_HOME": home.folder + "/config"}
                home.expect(0, "init", "--kdf-memory", "19", "--kdf-passes", "2", "--passphrase-file", "-", lines=[home.passphrase])
                owner_sees = home.run("unlock", "--passphrase-file", "-", lines=[home.passphrase])
                sockets = [os.path.join(folder, name) for folder, _, names in os.walk(home.folder) for name in names if name == "agent.sock"]
                assert not any(path.startswith(runtime) for path in sockets), sockets
                assert owner_sees.returncode == 0 and sockets, owner_sees
                home.run("lock")
                process = home.status["process_id"]
                os.kill(process, signal.SIGKILL)
                tries += 1
                continue
            listener, heard = squat(home.path + "/agent.sock", 0o700)
            os.chown(home.path, OWNER, OWNER)
            if kind == "owner":
                # The same listener, in a process of the owner: it is this one's user that is asked for.
                listener.close()
                os.unlink(home.path + "/agent.sock")
                code = ("import socket,os,sys; s=socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.chmod(sys.argv[1],0o600); s.listen();"
                        "print('ready',flush=True); c,_=s.accept(); c.settimeout(5); print(c.recv(1000).hex(),flush=True)")
                own = subprocess.Popen(
                    [*as_other(OWNER), "/usr/bin/python3", "-c", code, home.path + "/agent.sock"], stdout=subprocess.PIPE, text=True, cwd="/")
                own.stdout.readline()
                run = subprocess.Popen(home.words("status"), env=home.environment, cwd=home.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                heard_here = own.stdout.readline().strip()
                own.wait()
                run.wait()
                assert "54564147" in heard_here, "a listener of the owner is not greeted"
                print("control: the owner's own listener is accepted")
                os.unlink(home.path + "/agent.sock")
                continue
            if kind == "socket of the stranger":
                pass
            elif kind == "folder of the stranger":
                os.chown(home.path, STRANGER, STRANGER)
                os.chmod(home.path, 0o755)
            else:
                os.chmod(home.path, 0o777 if kind == "folder for all" else 0o1777)
            for words in (["unlock", "--passphrase-file", "-"], ["verify", "--passphrase-file", "-"], ["secret", "list", "--json"], ["lock"]):
                done = home.run(*words, lines=[home.passphrase])
                assert done.returncode != 0, (kind, words, done)
                tries += 1
            assert heard == [], (kind, heard)
            assert home.passphrase.encode() not in b"".join(heard)
            listener.close()
            os.chown(home.path, OWNER, OWNER)
            os.chmod(home.path, 0o700)
    return tries


if os.geteuid() != 0:
    not_run("needs the administrator, to act as two users")
tries = as_client() + in_its_place()
print(f"proof: tries={tries} answered=0 told=0")
