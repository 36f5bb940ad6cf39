/// The shared libraries that this process has loaded.
package enum LoadedLibraries {
    /// The paths of the libraries, in load order; empty if the system does not report them, or beyond 64 KiB.
    ///
    /// The corresponding C function is `dl_iterate_phdr`.
    package static var paths: [String] {
        var size = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            size = unsafe platform_libraries(buffer.baseAddress, buffer.count)
            count = size <= buffer.count ? size : 0
        }
        return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
    }
}
