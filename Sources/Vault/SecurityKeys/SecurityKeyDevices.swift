package import CFido2
internal import Platform

/// The device files that may be security keys.
package struct SecurityKeyDevices: Sendable {
    /// The functions for input and output; nil for those of libfido2.
    let functions: cfido2_io?
    /// The paths of all connected security keys.
    let paths: @Sendable () -> [String]
    /// Whether this user may open a path.
    let mayOpen: @Sendable (String) -> Bool

    /// Creates devices with their own functions for input and output.
    package init(
        functions: cfido2_io?, paths: @escaping @Sendable () -> [String],
        mayOpen: @escaping @Sendable (String) -> Bool
    ) {
        self.functions = functions
        self.paths = paths
        self.mayOpen = mayOpen
    }

    /// The devices of this machine.
    static let system = SecurityKeyDevices(
        functions: nil, paths: { paths(in: "/sys/class/hidraw") }, mayOpen: FileSystem.isWritable)

    /// The device files of the security keys among the entries of a folder like `/sys/class/hidraw`.
    ///
    /// Any user may read the report descriptors there. A security key's descriptor declares the usage page 0xF1D0 (CTAP 2.1, section
    /// 11.2.8.1).
    static func paths(in folder: String) -> [String] {
        let names = (try? FileSystem.names(in: folder)) ?? []
        return names.filter { name in
            let descriptor =
                FileSystem.content("\(folder)/\(name)/device/report_descriptor", limit: 4_096) ?? []
            return descriptor.indices.dropLast(2).contains {
                descriptor[$0..<($0 + 3)] == [0x06, 0xD0, 0xF1]
            }
        }.map { "/dev/" + $0 }
    }
}
