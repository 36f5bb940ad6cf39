"""What has to be built before an attack, and where it is then."""

import os
import subprocess

# Tests look for the executables beside their bundle, whatever their own folder is.
BUNDLES = {
    "tests": os.path.abspath(".build/debug/TaskVaultPackageTests.xctest"),
    "optimised": os.path.abspath(".build/optimised/release/TaskVaultPackageTests.xctest"),
}
OPTIONS = {
    "release": ["-c", "release", "--disable-local-rpath"],
    "tests": ["--build-tests"],
    "optimised": ["--build-tests", "-c", "release", "-Xswiftc", "-enable-testing", "--scratch-path", ".build/optimised", "-j", "2"],
}
# What its attacks do not need is not built.
OPTIMISED_TESTS = "VaultCoreTests|VaultStorageTests"


def build(attacks):
    needed = {name for attack in attacks for name in attack.command.builds}
    for name in (name for name in OPTIONS if name in needed):
        environment = dict(os.environ, TASKVAULT_TESTS=OPTIMISED_TESTS) if name == "optimised" else None
        subprocess.run(["swift", "build", *OPTIONS[name]], env=environment, check=True)
