"""What has to be built before an attack, and where it is then."""

import os
import subprocess

# Tests look for the executables beside their bundle, whatever their own folder is, unless TASKVAULT_EXECUTABLES names another one.
BUNDLES = {
    "tests": os.path.abspath(".build/debug/TaskVaultPackageTests.xctest"),
    "optimised": os.path.abspath(".build/optimised/release/TaskVaultPackageTests.xctest"),
}
PRODUCT = ["-c", "release", "--disable-local-rpath", "--product"]
# Each is some calls of the package manager, which takes only the last of several products.
CALLS = {
    "release": [[*PRODUCT, "taskvault"], [*PRODUCT, "taskvault-authd"]],
    "tools": [[*PRODUCT, "TestTools"]],
    "tests": [["--build-tests"]],
    "optimised": [["--build-tests", "-c", "release", "-Xswiftc", "-enable-testing", "--scratch-path", ".build/optimised", "-j", "2"]],
}
# What its attacks do not need is not built.
OPTIMISED_TESTS = "VaultCoreTests|VaultStorageTests|SyncTests|SyncMirrorsTests"


def build(attacks):
    needed = {name for attack in attacks for name in attack.command.builds}
    for name in (name for name in CALLS if name in needed):
        make(name)


def make(name):
    environment = dict(os.environ, TASKVAULT_TESTS=OPTIMISED_TESTS) if name == "optimised" else None
    for options in CALLS[name]:
        subprocess.run(["swift", "build", *options], env=environment, check=True)
