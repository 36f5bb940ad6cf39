import Platform

/// Work of tests with files.
enum Files {
    /// Opens a file that no child inherits by accident.
    static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws -> Int32 {
        let descriptor = unsafe platform_open(path, flags, mode)
        guard descriptor >= 0 else { throw HarnessFailure("open \(path)") }
        return descriptor
    }

    static func write(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws {
        let descriptor = try open(path, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
        defer { close(descriptor) }
        fchmod(descriptor, mode)
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes {
                unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(rest.startIndex))
            }
            guard count > 0 else { throw HarnessFailure("write") }
            rest = rest.dropFirst(count)
        }
    }

    static func write(_ text: String, to path: String, mode: mode_t = 0o600) throws {
        try write(Array(text.utf8), to: path, mode: mode)
    }

    static func read(_ path: String) throws -> [UInt8] {
        let descriptor = try open(path, O_RDONLY)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe pread(descriptor, &piece, piece.count, off_t(bytes.count))
            guard count >= 0 else { throw HarnessFailure("read") }
            if count == 0 { return bytes }
            bytes += piece.prefix(count)
        }
    }

    static func copy(_ source: String, to target: String) throws {
        try write(try read(source), to: target)
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0
    }

    /// The permission bits.
    static func mode(_ path: String) -> mode_t {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    static func setMode(_ path: String, _ mode: mode_t) {
        unsafe chmod(path, mode)
    }

    static func names(in folder: String) -> [String] {
        guard let stream = unsafe opendir(folder) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Flips the lowest bit of a byte; a negative offset counts from the end.
    static func flip(_ path: String, at offset: Int) throws {
        var bytes = try read(path)
        bytes[offset < 0 ? bytes.count + offset : offset] ^= 1
        try write(bytes, to: path)
    }
}
