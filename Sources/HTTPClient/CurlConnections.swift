internal import CCurl

/// Connections that are used again. Used by one thread at a time.
@safe struct CurlConnections: ~Copyable, @unchecked Sendable {
    private let library: CurlLibrary
    let pointer: UnsafeMutableRawPointer

    init?(_ library: CurlLibrary) {
        guard let pointer = unsafe ccurl_new_connections(library.functions) else { return nil }
        self.library = library
        unsafe self.pointer = unsafe pointer
    }

    deinit {
        unsafe ccurl_free_connections(library.functions, pointer)
    }
}
