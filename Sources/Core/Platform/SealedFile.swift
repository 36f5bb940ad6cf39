/// An immutable file in memory with a value for the program that replaces this process.
///
/// Its mode is 0600: ssh-keygen and psql refuse a file that others may read, and ansible-vault runs one that is executable.
/// Its pages may be swapped, as those of any program that reads a secret.
package struct SealedFile: ~Copyable {
    /// The descriptor, which the program inherits under the same number.
    package let descriptor: Int32

    /// The path of the file for the program. Each opening starts at the beginning.
    package var path: String { "/dev/fd/\(descriptor)" }

    /// Writes and seals the file.
    ///
    /// The corresponding C functions are `memfd_create` and `fcntl` with `F_ADD_SEALS`.
    ///
    /// - Throws: ``SystemFailure``; always, on other systems than Linux.
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
