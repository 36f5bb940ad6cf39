internal import Platform

/// Whether this process can keep memory out of swap.
public enum MemoryLocking {
    /// Tries to lock a separate page, because `sodium_malloc` does not report a failure to lock.
    ///
    /// The corresponding C functions are `mlock` and `munlock`.
    public static var isAvailable: Bool {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let page = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: size)
        defer { unsafe page.deallocate() }
        guard unsafe mlock(page, size) == 0 else { return false }
        unsafe munlock(page, size)
        return true
    }
}
