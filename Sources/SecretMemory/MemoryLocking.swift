internal import Platform

/// Whether the system lets this process keep memory out of swap.
public enum MemoryLocking {
    /// Tries to lock a page of its own, because `sodium_malloc` does not tell when locking failed.
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
