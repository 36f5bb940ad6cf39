/// Prints what the clock of a session says, in seconds: the other process in the tests of that clock.

import VaultAgent

print(SystemSessionClock().now.components.seconds)
