"""Installs what is compared, from Debian's packages, or says what is missing."""

import os
import shutil
import subprocess

OWN = ("gcc", "libc6-dev", "libsodium-dev", "libsqlite3-dev")


def missing(packages):
    """Those of the packages that are not installed; None where there is no dpkg to ask."""
    if not shutil.which("dpkg-query"):
        return None
    return [package for package in packages if "ok installed" not in status(package)]


def status(package):
    return subprocess.run(["dpkg-query", "-W", "-f", "${Status}", package], capture_output=True, text=True).stdout


def install(packages):
    """Tries to install them; gives back which of them are missing all the same."""
    wanted = missing(packages)
    if not wanted:
        return wanted
    root = administrator()
    if root is not None:
        environment = dict(os.environ, DEBIAN_FRONTEND="noninteractive")
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *wanted]):
            subprocess.run(root + command, env=environment, stdout=subprocess.DEVNULL)
    return missing(packages)


def administrator():
    """What comes before a command that only root may run; None where that needs a password."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") and subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0:
        return ["sudo", "-n"]
    return None
