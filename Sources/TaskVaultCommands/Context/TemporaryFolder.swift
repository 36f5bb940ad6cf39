internal import CommandLine
internal import Platform

/// A folder that only its owner can use, and that is removed with all that is in it when the value ends.
struct TemporaryFolder: ~Copyable {
    /// Its path.
    let path: String

    /// Makes it in `$TMPDIR`, or else in `/tmp`.
    ///
    /// The corresponding C function is `mkdtemp`.
    init(_ environment: EnvironmentVariables) throws(SystemFailure) {
        let parent = environment["TMPDIR"] ?? "/tmp"
        var template = Array((parent + "/taskvault-tour-XXXXXX").utf8CString)
        guard unsafe mkdtemp(&template) != nil else { throw SystemFailure("mkdtemp", code: errno) }
        path = String(
            decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        Self.remove(path)
    }

    /// Makes a file in it, readable by its owner only.
    borrowing func write(_ text: String, to name: String) throws(SystemFailure) {
        let descriptor = unsafe platform_open(
            path + "/" + name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SystemFailure("open", code: errno) }
        defer { close(descriptor) }
        do throws(OutputError) {
            unsafe try Descriptor.write(text.utf8Span.span.bytes, to: descriptor)
        } catch .failed(let failure) {
            throw failure
        } catch {
            throw SystemFailure("write", code: EIO)
        }
    }

    /// Removes a folder and what is in it; symbolic links are not followed.
    private static func remove(_ path: String) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            for name in (try? FileSystem.names(in: path)) ?? [] { remove(path + "/" + name) }
            unsafe rmdir(path)
        } else {
            unsafe unlink(path)
        }
    }
}
