#if os(Linux)
    internal import Platform

    extension ProcessHardening {
        static var coreLimit: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_CORE.rawValue) }

        /// Makes the process non-dumpable and prevents children from gaining privileges.
        static func forbidTracing() {
            _ = platform_forbid_dump_and_trace()
            _ = platform_forbid_new_privileges()
        }
    }
#endif
