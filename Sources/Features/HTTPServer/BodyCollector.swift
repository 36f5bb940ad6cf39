internal import CSodium

/// Collects the content of a request, up to the announced or maximum size.
///
/// The memory grows with the received bytes, because a client may announce more than it sends.
/// Replaced memory is wiped.
@safe final class BodyCollector {
    /// The initial capacity, enough for the content of most requests.
    private static let initialCapacity = 16_384

    private let size: Int
    private var skipped: Int
    private var storage: UnsafeMutableRawBufferPointer
    private var count = 0
    /// Whether the content exceeded `size`.
    private(set) var isTooLarge = false
    private var isFinished = false

    /// Collects up to `size` bytes. Wipes and drops up to `skipped` further ones.
    ///
    /// Content that was admitted has its memory from the start: its place counts for all of it, and the system provides what was received.
    init(size: Int, skipping skipped: Int = 0, isAdmitted: Bool = false) {
        self.size = size
        self.skipped = skipped
        unsafe storage = .allocate(
            byteCount: isAdmitted ? size : min(size, Self.initialCapacity), alignment: 1)
    }

    deinit {
        if !isFinished { wipe() }
    }

    /// Copies bytes and wipes the source; false if they exceed both sizes.
    func append(_ bytes: UnsafeMutableRawBufferPointer) -> Bool {
        defer {
            if let start = bytes.baseAddress { unsafe sodium_memzero(start, bytes.count) }
        }
        if isTooLarge || bytes.count > size - count {
            isTooLarge = true
            skipped -= bytes.count
            return skipped >= 0
        }
        makeRoom(for: count + bytes.count)
        unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count...]).copyMemory(
            from: UnsafeRawBufferPointer(bytes))
        count += bytes.count
        return true
    }

    /// Returns the collected content. Call it once.
    func finish() -> RequestBody {
        precondition(!isFinished)
        isFinished = true
        return unsafe RequestBody(adopting: storage, count: count)
    }

    private func makeRoom(for needed: Int) {
        guard unsafe needed > storage.count else { return }
        let capacity = unsafe min(size, max(needed, 2 * storage.count))
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 1)
        unsafe larger.copyMemory(
            from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[..<count]))
        wipe()
        unsafe storage = larger
    }

    private func wipe() {
        if let start = unsafe storage.baseAddress { unsafe sodium_memzero(start, count) }
        unsafe storage.deallocate()
    }
}
