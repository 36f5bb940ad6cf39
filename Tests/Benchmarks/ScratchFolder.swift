internal import Platform

/// A new empty folder of mode 0700 beside the build, or in `TMPDIR`: on a medium that syncs, where there is a choice.
struct ScratchFolder {
    let path: String

    init() throws {
        let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/var/tmp"
        var template = Array("\(base)/taskvault-benchmark-XXXXXX".utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer { buffer -> String? in
            guard let name = unsafe buffer.baseAddress.flatMap({ unsafe mkdtemp($0) }),
                let resolved = unsafe realpath(name, nil)
            else { return nil }
            defer { unsafe free(resolved) }
            return unsafe String(cString: resolved)
        }
        guard let made else { throw BenchmarkFailure("no folder for the files: \(errno)") }
        path = made
    }

    /// A path in the folder.
    func path(of name: String) -> String { path + "/" + name }

    /// Copies a database that nobody has open.
    func copy(_ source: String, to name: String) throws -> String {
        let target = path(of: name)
        let input = unsafe open(source, O_RDONLY)
        let output = unsafe open(target, O_WRONLY | O_CREAT | O_EXCL, 0o600)
        defer {
            close(input)
            close(output)
        }
        guard input >= 0, output >= 0 else { throw BenchmarkFailure("cannot copy \(source)") }
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        while true {
            let count = unsafe read(input, &buffer, buffer.count)
            if count == 0 { break }
            guard count > 0, unsafe write(output, buffer, count) == count else {
                throw BenchmarkFailure("cannot copy \(source)")
            }
        }
        fsync(output)
        return target
    }

    /// Makes a folder in it of mode 0700.
    func makeFolder(_ name: String) throws -> String {
        let path = path(of: name)
        guard unsafe mkdir(path, 0o700) == 0 else { throw BenchmarkFailure("no folder \(path)") }
        return path
    }

    /// Writes a file.
    func save(_ bytes: [UInt8], as name: String) throws {
        try TextFile.write(bytes, to: path(of: name))
    }

    /// Removes the folder and everything in it.
    func remove() {
        Self.remove(path)
    }

    private static func remove(_ path: String) {
        if unsafe unlink(path) == 0 { return }
        guard let folder = unsafe opendir(path) else { return }
        var names: [String] = []
        while let entry = unsafe readdir(folder) {
            names.append(
                unsafe withUnsafePointer(to: &entry.pointee.d_name) { field in
                    unsafe String(
                        cString: UnsafeRawPointer(field).assumingMemoryBound(to: CChar.self))
                })
        }
        unsafe closedir(folder)
        for name in names where name != "." && name != ".." { remove(path + "/" + name) }
        unsafe rmdir(path)
    }
}

/// The size of a file in bytes.
func sizeOfFile(_ path: String) throws -> Int {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { throw BenchmarkFailure("no file \(path)") }
    return Int(status.st_size)
}
