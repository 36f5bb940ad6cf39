#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The machine that the server runs on.
enum Machine {
    /// How many processors there are.
    ///
    /// The corresponding C function is `sysconf` with `_SC_NPROCESSORS_ONLN`.
    static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
