internal import Platform
internal import TextCoding

/// The process metrics of Prometheus client libraries, with their standard names.
enum ProcessMetrics {
    /// The metrics as text, without values that the system does not provide.
    static func text(start: PointInTime) -> String {
        var text = line(
            "start_time_seconds", "Start of the process since the epoch.", "gauge",
            ServerMetrics.seconds(start.milliseconds * 1_000))
        var usage = rusage()
        if unsafe getrusage(selfUsage, &usage) == 0 {
            let time = microseconds(usage.ru_utime) + microseconds(usage.ru_stime)
            text += line(
                "cpu_seconds_total", "User and system time.", "counter",
                ServerMetrics.seconds(time))
        }
        if let (size, resident) = memory {
            text += line("virtual_memory_bytes", "Virtual memory.", "gauge", String(size))
            text += line("resident_memory_bytes", "Resident memory.", "gauge", String(resident))
        }
        if let count = openDescriptors {
            text += line("open_fds", "Open descriptors.", "gauge", String(count))
        }
        if let limit = maximumDescriptors {
            text += line("max_fds", "The largest number of descriptors.", "gauge", String(limit))
        }
        return text
    }

    private static func line(
        _ name: String, _ help: String, _ type: String, _ value: String
    ) -> String {
        "# HELP process_\(name) \(help)\n# TYPE process_\(name) \(type)\nprocess_\(name) \(value)\n"
    }

    private static func microseconds(_ time: timeval) -> Int64 {
        Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_usec)
    }

    #if os(Linux)
        private static var selfUsage: __rusage_who_t { RUSAGE_SELF.rawValue }
        private static var descriptorLimit: __rlimit_resource_t {
            __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        }
    #else
        private static var selfUsage: Int32 { RUSAGE_SELF }
        private static var descriptorLimit: Int32 { RLIMIT_NOFILE }
    #endif

    private static var maximumDescriptors: rlim_t? {
        var limit = rlimit()
        return unsafe getrlimit(descriptorLimit, &limit) == 0 ? limit.rlim_cur : nil
    }

    /// The sizes of virtual and resident memory, in bytes, from `/proc/self/statm`.
    private static var memory: (Int, Int)? {
        let descriptor = unsafe platform_open("/proc/self/statm", O_RDONLY, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(descriptor, &bytes, bytes.count)
        let pages = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
            .split(separator: " ").compactMap { Int($0) }
        let size = sysconf(Int32(_SC_PAGESIZE))
        return pages.count >= 2 ? (pages[0] * size, pages[1] * size) : nil
    }

    /// The number of entries in `/proc/self/fd`, without the descriptor that reads them.
    private static var openDescriptors: Int? {
        guard let folder = unsafe opendir("/proc/self/fd") else { return nil }
        defer { unsafe closedir(folder) }
        var count = 0
        while let entry = unsafe readdir(folder) {
            if unsafe entry.pointee.d_name.0 != CChar(UInt8(ascii: ".")) { count += 1 }
        }
        return count - 1
    }
}
