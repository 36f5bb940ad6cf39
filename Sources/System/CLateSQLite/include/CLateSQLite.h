#pragma once

// An executable that links this module loads SQLite at the first call of it: binding 1,600 names of libsqlite3 took a quarter of the start, and most
// commands ask the agent alone. The functions that this package calls are defined here; each calls the one of the library.
//
// Only on Linux. Sources/System/Linking leaves the library out of a release executable that has this module.
