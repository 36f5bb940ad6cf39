#if os(Linux)
    internal import Platform

    extension ProcessHardening {
        static var coreLimit: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_CORE.rawValue) }

        /// Makes the process non-dumpable.
        static func forbidTracing() {
            _ = platform_forbid_dump_and_trace()
        }

        /// Prevents children from gaining privileges.
        static func forbidNewPrivileges() {
            _ = platform_forbid_new_privileges()
        }
    }
#endif
