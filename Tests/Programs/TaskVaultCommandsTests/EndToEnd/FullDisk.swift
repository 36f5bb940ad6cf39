#if os(Linux)
    import Foundation
    import TestSupport

    /// A disk that can be filled.
    enum FullDisk {
        /// Runs `body` with a new folder on a disk of its own.
        static func with(_ folder: String, size: UInt, _ body: () throws -> Void) throws {
            try PrivateMounts.begin()
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: false)
            try PrivateMounts.withMemory(on: folder, size: size, body)
        }

        /// Writes to a file until there is no more space.
        static func fill(_ path: String) throws {
            try Files.write([], to: path)
            let file = try FileHandle(forWritingTo: URL(filePath: path))
            defer { try? file.close() }
            do {
                while true { try file.write(contentsOf: Data(repeating: 0, count: 4_096)) }
            } catch {
                return
            }
        }

        /// Makes a file smaller.
        static func cut(_ path: String, by size: Int) throws {
            let file = try FileHandle(forUpdating: URL(filePath: path))
            defer { try? file.close() }
            try file.truncate(atOffset: try file.seekToEnd() - UInt64(size))
        }
    }
#endif
