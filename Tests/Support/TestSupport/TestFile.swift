internal import Platform

/// Files, as bytes.
package enum TestFile {
    package struct Failure: Error {
        package let code: Int32

        package init(code: Int32) {
            self.code = code
        }
    }

    package static func read(_ path: String) throws -> [UInt8] {
        guard let file = unsafe fopen(path, "rb") else { throw Failure(code: errno) }
        defer { unsafe fclose(file) }
        var status = stat()
        guard unsafe fstat(fileno(file), &status) == 0 else { throw Failure(code: errno) }
        // Only regular files have a size, and a file may grow.
        var bytes = [UInt8](repeating: 0, count: max(Int(status.st_size) + 1, 65_536))
        var size = 0
        while true {
            let count = unsafe bytes.withUnsafeMutableBytes { buffer in
                unsafe fread(buffer.baseAddress?.advanced(by: size), 1, buffer.count - size, file)
            }
            size += count
            if count == 0 { break }
            if size == bytes.count { bytes += [UInt8](repeating: 0, count: size) }
        }
        bytes.removeLast(bytes.count - size)
        return bytes
    }

    /// Writes a file of mode 0600, replacing an existing one.
    package static func write(_ bytes: [UInt8], to path: String) throws {
        guard let file = unsafe fopen(path, "wb") else { throw Failure(code: errno) }
        defer { unsafe fclose(file) }
        guard unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count,
            unsafe chmod(path, 0o600) == 0
        else { throw Failure(code: errno) }
    }

    package static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    package static func size(_ path: String) -> Int? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int(status.st_size) : nil
    }

    /// The permission bits.
    package static func mode(_ path: String) -> UInt32? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? UInt32(status.st_mode & 0o7777) : nil
    }

    /// The names in a folder, sorted.
    package static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                    unsafe String(
                        cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
                })
        }
        return names.filter { $0 != "." && $0 != ".." }.sorted()
    }
}

extension Array<UInt8> {
    /// Whether the bytes are equal; much faster than `==` in debug builds.
    package func isSame(as other: [UInt8]) -> Bool {
        unsafe count == other.count && memcmp(self, other, count) == 0
    }

    /// Where the pattern begins. The corresponding C function is `memmem`, which the importer leaves out.
    package func firstIndex(of pattern: [UInt8], from start: Int = 0) -> Int? {
        guard !pattern.isEmpty else { return nil }
        // Files have many zeros.
        let anchor = pattern.firstIndex { $0 != 0 } ?? 0
        let last = count - pattern.count + anchor
        return unsafe withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return nil }
            var place = start + anchor
            while place <= last,
                let hit = unsafe memchr(base + place, Int32(pattern[anchor]), last - place + 1)
            {
                place = unsafe base.distance(to: UnsafeRawPointer(hit))
                if unsafe memcmp(base + place - anchor, pattern, pattern.count) == 0 {
                    return place - anchor
                }
                place += 1
            }
            return nil
        }
    }

    package func contains(_ pattern: [UInt8]) -> Bool {
        firstIndex(of: pattern) != nil
    }
}
