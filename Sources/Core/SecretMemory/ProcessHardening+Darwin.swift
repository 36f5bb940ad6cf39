#if canImport(Darwin)
    internal import Platform

    extension ProcessHardening {
        static var coreLimit: Int32 { RLIMIT_CORE }

        /// Does nothing: macOS relies on a hardened runtime without the get-task-allow entitlement.
        static func forbidTracing() {}

        /// Does nothing: macOS has no such attribute.
        static func forbidNewPrivileges() {}
    }
#endif
