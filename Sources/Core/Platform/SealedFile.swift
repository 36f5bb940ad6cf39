/// A file in memory that holds a value for a program that this process becomes, and that no process can change.
///
/// Its pages may be swapped, like those of every program that reads a secret.
package struct SealedFile: ~Copyable {
    /// The descriptor, which the program inherits under this number.
    package let descriptor: Int32

    /// The path under which the program opens the file, from its beginning and as often as it likes.
    package var path: String { "/dev/fd/\(descriptor)" }

    /// Writes and seals the file.
    ///
    /// The corresponding C functions are `memfd_create` and `fcntl` with `F_ADD_SEALS`.
    ///
    /// - Throws: ``SystemFailure``; always, elsewhere than on Linux.
    package init(_ bytes: RawSpan) throws {
        #if os(Linux)
            descriptor = platform_sealable_file()
            guard descriptor >= 0 else { throw SystemFailure.last("memfd_create") }
            do {
                try Descriptor.write(bytes, to: descriptor)
                guard platform_seal(descriptor) == 0 else { throw SystemFailure.last("fcntl") }
            } catch {
                close(descriptor)
                throw error
            }
        #else
            throw SystemFailure("memfd_create", code: ENOSYS)
        #endif
    }

    deinit {
        close(descriptor)
    }
}
