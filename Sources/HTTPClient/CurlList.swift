internal import CCurl
internal import SecretMemory

/// The lists of an exchange, which have to stay until it is over.
struct CurlLists: ~Copyable {
    let fields: CurlList
    let resolutions: CurlList
}

/// A list of texts for libcurl, in its memory, which is wiped at the end.
@safe struct CurlList: ~Copyable {
    private let library: CurlLibrary
    private(set) var first: OpaquePointer?

    init(_ library: CurlLibrary, _ texts: [String]) throws(HTTPClientError) {
        self.library = library
        for text in texts { try append(text) }
    }

    deinit {
        unsafe ccurl_free_list(library.functions, first)
    }

    mutating func append(_ text: String) throws(HTTPClientError) {
        guard let longer = unsafe ccurl_append(library.functions, first, text) else {
            throw .outOfMemory
        }
        unsafe first = unsafe longer
    }

    /// Appends a name, and a value that is secret and has no zero byte.
    mutating func append(
        _ name: StaticString, _ value: borrowing SecretBytes
    ) throws(HTTPClientError) {
        let size = name.utf8CodeUnitCount
        let line: SecretBytes
        do {
            // The zero byte at the end is there already.
            var joined = try SecretBytes(count: size + value.count + 1)
            joined.withMutableBytes { span in
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
            line = joined
        } catch {
            throw .outOfMemory
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
        guard let longer = unsafe longer else { throw .outOfMemory }
        unsafe first = unsafe longer
    }
}
