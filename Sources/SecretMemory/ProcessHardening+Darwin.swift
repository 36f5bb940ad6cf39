#if canImport(Darwin)
    internal import Platform

    extension ProcessHardening {
        static var coreLimit: Int32 { RLIMIT_CORE }

        /// Nothing more to do: a hardened runtime without the get-task-allow entitlement is the system's way.
        static func forbidTracing() {}
    }
#endif
