#if os(Linux)
    internal import CTestPlatform
    internal import Foundation
    internal import Glibc

    /// File systems visible only to this process and its children. They end with these processes, even after a crash.
    ///
    /// For the body of an exit test, which runs on one thread: namespaces belong to threads.
    package enum PrivateMounts {
        /// Whether this process can create them: it needs root, and a container may forbid it.
        package static let arePossible =
            geteuid() == 0 && (try? SystemTool.run("/usr/bin/unshare", "--mount", "true")) != nil

        /// All following mounts are private.
        package static func begin() throws {
            guard test_platform_begin_private_mounts() == 0 else {
                throw ToolFailure(tool: "unshare", code: errno)
            }
        }

        /// Runs `body` with a file system in memory, of `size` bytes, over an empty folder.
        package static func withMemory<Result>(
            on folder: String, size: UInt, _ body: () throws -> Result
        ) throws -> Result {
            guard unsafe test_platform_mount_memory(folder, size) == 0 else {
                throw ToolFailure(tool: "mount", code: errno)
            }
            defer { try? SystemTool.run("/usr/bin/umount", folder) }
            return try body()
        }
    }

    /// A machine without the file system `/proc`, for a program and its children.
    package enum HiddenProcesses {
        /// The words before a program.
        package static let launcher = ["/usr/bin/unshare", "-rm", "/bin/sh", "-c", script, "sh"]
        private static let script = "mount -t tmpfs none /proc && exec \"$@\""

        /// Whether this machine allows it.
        package static let isPossible =
            (try? SystemTool.run("/usr/bin/unshare", "-rm", "/bin/sh", "-c", script, "sh", "true"))
            != nil
    }

    /// A file system on a disk with a simulated power failure: ext4 in a file. In ``PrivateMounts`` only.
    package struct LossyDisk: Sendable {
        /// The root folder of the file system.
        package let root: String
        private let image: String

        /// Whether this system supports such a disk.
        package static let isPossible: Bool = {
            guard PrivateMounts.arePossible else { return false }
            let script = """
                cd "$1" && truncate -s 8M image && mkfs.ext4 -q image && mkdir root && mount -o loop image root
                """
            return
                (try? withTemporaryFolder { folder in
                    try SystemTool.run(
                        "/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh", folder)
                }) != nil
        }()

        /// Runs `body` with a new disk, mounted in a folder.
        package static func with<Result>(
            in folder: String, megabytes: Int = 16, _ body: (LossyDisk) throws -> Result
        ) throws -> Result {
            let disk = LossyDisk(root: folder + "/disk", image: folder + "/image")
            try SystemTool.run("/usr/bin/mkdir", "-p", disk.root)
            try SystemTool.run("/usr/bin/truncate", "-s", "\(megabytes)M", disk.image)
            try SystemTool.run("/usr/sbin/mkfs.ext4", "-q", "-F", disk.image)
            try disk.mount()
            // The last unmount releases the loop device.
            defer { try? SystemTool.run("/usr/bin/umount", disk.root) }
            return try body(disk)
        }

        /// Discards unsynced data. The disk is unusable afterwards.
        package func cutPower() throws {
            guard unsafe test_platform_cut_power(root) == 0 else {
                throw ToolFailure(tool: "EXT4_IOC_SHUTDOWN", code: errno)
            }
        }

        /// Restarts with the data on the disk. Requires that all its files are closed.
        package func restorePower() throws {
            try SystemTool.run("/usr/bin/umount", root)
            try mount()
        }

        private func mount() throws {
            try SystemTool.run("/usr/bin/mount", "-o", "loop", image, root)
        }
    }

    /// Programs of the system.
    package enum SystemTool {
        /// Runs a program to its end, without input and output.
        package static func run(_ path: String, _ arguments: String...) throws {
            let process = Process()
            process.executableURL = URL(filePath: path)
            process.arguments = arguments
            process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw ToolFailure(tool: path, code: process.terminationStatus)
            }
        }
    }

    /// A refused system operation that a test needs; `code` is `errno` or an exit code.
    package struct ToolFailure: Error {
        let tool: String
        let code: Int32
    }
#endif
