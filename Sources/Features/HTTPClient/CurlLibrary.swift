internal import CCurl
internal import SecretMemory

/// libcurl, loaded on first use for the life of the process.
@safe struct CurlLibrary: @unchecked Sendable {
    /// The functions of the library. They are constant after loading.
    let functions: OpaquePointer

    /// Loads the first available library of these names; nil if there is none.
    init?(names: [String]) {
        for name in names {
            if let functions = unsafe ccurl_load(name) {
                unsafe self.functions = unsafe functions
                return
            }
        }
        return nil
    }

    #if os(macOS)
        private static let names = ["/usr/lib/libcurl.4.dylib"]
    #else
        private static let names = ["libcurl.so.4"]
    #endif

    /// The library of this process; nil if the system has none.
    static let shared = CurlLibrary(names: names)
}

/// A pool of open connections, used by one thread at a time.
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

/// The lists of a transfer. They must outlive it.
struct CurlLists: ~Copyable {
    let fields: CurlList
    let resolutions: CurlList
}

/// A list of strings in memory of libcurl, which is wiped on release.
@safe struct CurlList: ~Copyable {
    private let library: CurlLibrary
    private(set) var first: OpaquePointer?

    init(_ library: CurlLibrary, _ texts: [String]) throws {
        self.library = library
        for text in texts { try append(text) }
    }

    deinit {
        unsafe ccurl_free_list(library.functions, first)
    }

    mutating func append(_ text: String) throws {
        guard let longer = unsafe ccurl_append(library.functions, first, text) else {
            throw SecretMemoryError.outOfMemory
        }
        unsafe first = unsafe longer
    }

    /// Appends a name and a secret value. The value has no zero byte.
    mutating func append(
        _ name: StaticString, _ value: borrowing SecretBytes
    ) throws {
        let size = name.utf8CodeUnitCount
        // `SecretBytes` starts with zeros, so the text is zero-terminated.
        var line = try SecretBytes(count: size + value.count + 1)
        line.withMutableBytes { span in
            unsafe span.withUnsafeMutableBytes { target in
                unsafe target.copyMemory(
                    from: UnsafeRawBufferPointer(start: name.utf8Start, count: size))
                value.withBytes { bytes in
                    unsafe bytes.withUnsafeBytes {
                        unsafe UnsafeMutableRawBufferPointer(rebasing: target[size...])
                            .copyMemory(from: $0)
                    }
                }
            }
        }
        let library = library
        let list = unsafe first
        let longer = unsafe line.withBytes { bytes in
            unsafe bytes.withUnsafeBytes { buffer in
                unsafe buffer.assumingMemoryBound(to: CChar.self).baseAddress.flatMap {
                    unsafe ccurl_append(library.functions, list, $0)
                }
            }
        }
        guard let longer = unsafe longer else { throw SecretMemoryError.outOfMemory }
        unsafe first = unsafe longer
    }
}
