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

private enum TemporaryFolder {
    /// The corresponding C functions are `mkdtemp` and `realpath`.
    static func make() throws -> String {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
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
    static func remove(_ path: String) {
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
