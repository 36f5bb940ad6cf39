internal import Platform

/// The machine that the server runs on.
enum Machine {
    /// How many processors there are.
    ///
    /// The corresponding C function is `sysconf` with `_SC_NPROCESSORS_ONLN`.
    static var processors: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Lets the process have more descriptors than it was started with, as far as the system allows; nil is all of these.
    ///
    /// The corresponding C functions are `getrlimit` and `setrlimit` with `RLIMIT_NOFILE`.
    ///
    /// - Returns: Whether it may have so many.
    static func allow(descriptors count: Int?) -> Bool {
        #if os(Linux)
            let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let kind = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard unsafe getrlimit(kind, &limit) == 0 else { return false }
        let wanted = count.map { rlim_t($0) } ?? limit.rlim_max
        if limit.rlim_cur >= wanted { return true }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        return unsafe setrlimit(kind, &limit) == 0 && limit.rlim_cur == wanted
    }
}
