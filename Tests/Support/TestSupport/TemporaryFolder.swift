internal import Platform

/// Runs `body` with the path of a new empty folder of mode 0700, without symbolic links, which is removed afterwards.
public func withTemporaryFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    let path = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(path) }
    return try body(path)
}

/// Runs `body` with the path of a new empty folder of mode 0700, without symbolic links, which is removed afterwards.
public func withTemporaryFolder<Result>(
    _ body: (String) async throws -> Result
) async throws -> Result {
    let path = try TemporaryFolder.make()
    defer { TemporaryFolder.remove(path) }
    return try await body(path)
}

/// A folder could not be made; `code` is `errno`.
public struct TemporaryFolderError: Error {
    /// The system's error number.
    public let code: Int32
}

/// Folders of tests.
public enum TemporaryFolder {
    /// Where they are made: `TMPDIR`, or else a file system in memory with 2 GiB free, where a sync takes no time, or else `/tmp`.
    public static let base: String = {
        if let chosen = unsafe getenv("TMPDIR") { return unsafe String(cString: chosen) }
        let memory = "/dev/shm"
        var status = statvfs()
        guard unsafe statvfs(memory, &status) == 0, unsafe access(memory, W_OK) == 0,
            UInt64(status.f_bavail) * UInt64(status.f_frsize) >= 2 << 30,
            // ST_NOEXEC, which the importer leaves out: some tests run a program of their own there.
            status.f_flag & 8 == 0
        else { return "/tmp" }
        return memory
    }()

    /// The corresponding C functions are `mkdtemp` and `realpath`.
    fileprivate static func make() throws -> String {
        var template = Array("\(base)/taskvault-test-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let path = unsafe buffer.baseAddress.flatMap({ unsafe mkdtemp($0) }),
                let resolved = unsafe realpath(path, nil)
            else { return nil }
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
        guard let made else { throw TemporaryFolderError(code: errno) }
        return made
    }

    /// Removes the file or folder at `path`, including folders whose permissions a test removed.
    fileprivate static func remove(_ path: String) {
        if unsafe unlink(path) == 0 || errno == ENOENT { return }
        unsafe chmod(path, 0o700)
        for name in entries(of: path) { remove(path + "/" + name) }
        unsafe rmdir(path)
    }

    private static func entries(of path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                unsafe String(cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}
