#if os(Linux)
    internal import Platform
    internal import CSodium
    internal import Glibc

    /// Searches all writable memory of a process for the pieces of secrets, through `/proc/…/mem`.
    @safe package final class MemoryScan {
        /// The occurrences of one secret.
        package struct Finding {
            /// The number of occurrences of each window.
            package fileprivate(set) var counts: [Int]
            /// The flags of the mappings, such as `lo` for locked and `dd` for excluded from core dumps.
            package fileprivate(set) var flags: Set<String> = []
            /// Whether all occurrences are in memory that is locked and excluded from core dumps.
            package fileprivate(set) var isProtected = true

            /// The number of windows found.
            package var found: Int { counts.count { $0 > 0 } }
            /// The number of copies, if every window occurs that often.
            package var copies: Int? { Set(counts).count == 1 ? counts[0] : nil }
        }

        /// A larger mapping is a sanitizer's, and is not scanned.
        private static let limit: UInt = 4 << 30
        private static let pageSize = 4_096
        private static let chunkSize = 256 * pageSize

        private let process: String
        private let isOwn: Bool
        private let memory: Int32
        /// A mapping of its own, so that it can be excluded from the scan.
        private let buffer: UnsafeMutableRawBufferPointer
        private let zeros: UnsafeMutableRawBufferPointer
        private var places: [UInt64: [(secret: Int, window: Int)]] = [:]
        private var filter = [Bool](repeating: false, count: 1 << 16)
        private var secrets: [MaskedSecret] = []

        /// Nil if the system does not allow access to the memory.
        ///
        /// - Parameter process: Another process than this one; requires root.
        package init?(of process: Int32? = nil) {
            self.process = process.map { "/proc/\($0)" } ?? "/proc/thread-self"
            isOwn = process == nil
            memory = unsafe platform_open(self.process + "/mem", O_RDONLY, 0)
            let size = Self.chunkSize + 2 * Self.pageSize
            guard memory >= 0,
                let start = unsafe mmap(
                    nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
                unsafe start != MAP_FAILED
            else { return nil }
            let whole = unsafe UnsafeMutableRawBufferPointer(start: start, count: size)
            unsafe buffer = UnsafeMutableRawBufferPointer(
                rebasing: whole[..<(size - Self.pageSize)])
            unsafe zeros = UnsafeMutableRawBufferPointer(rebasing: whole[(size - Self.pageSize)...])
        }

        deinit {
            close(memory)
            unsafe munmap(buffer.baseAddress, buffer.count + zeros.count)
        }

        /// Adds a secret to search for.
        package func add(_ secret: MaskedSecret) {
            for (index, window) in secret.windows.enumerated() {
                places[window, default: []].append((secrets.count, index))
                filter[Int(window >> 48)] = true
            }
            secrets.append(secret)
        }

        /// The occurrences by name; nil if the memory cannot be scanned.
        package func run() throws -> [String: Finding]? {
            var findings = secrets.map { Finding(counts: $0.windows.map { _ in 0 }) }
            let own = UInt(bitPattern: unsafe buffer.baseAddress)
            let mappings = try MemoryMapping.all(of: process).filter { mapping in
                mapping.permissions.hasPrefix("rw") && !(isOwn && mapping.range.contains(own))
            }
            guard mappings.reduce(0, { $0 + UInt($1.range.count) }) < Self.limit else { return nil }
            for mapping in mappings { scan(mapping, &findings) }
            return Dictionary(uniqueKeysWithValues: zip(secrets.map(\.name), findings))
        }

        private func scan(_ mapping: MemoryMapping, _ findings: inout [Finding]) {
            var address = mapping.range.lowerBound
            while address < mapping.range.upperBound {
                let wanted = min(Self.chunkSize + 8, Int(mapping.range.upperBound - address))
                let count = unsafe pread(memory, buffer.baseAddress, wanted, Int(address))
                // A mapping may have unreadable parts, beyond the end of its file.
                guard count > 0 else { return }
                search(min(count, Self.chunkSize), of: count, mapping, &findings)
                // The loaded bytes must not be found again on this stack.
                sodium_stackzero(16_384)
                address += UInt(min(count, Self.chunkSize))
            }
        }

        /// Searches the windows that start in the first `size` of the `available` bytes in the buffer.
        private func search(
            _ size: Int, of available: Int, _ mapping: MemoryMapping, _ findings: inout [Finding]
        ) {
            let mask = MaskedSecret.maskWord
            var page = 0
            while page < size {
                let end = min(page + Self.pageSize, size, available - 7)
                let length = min(Self.pageSize, available - page)
                // A page of zeros has no match; most of a stack is zeros.
                if !isZero(page, length) {
                    var offset = page
                    while offset < end {
                        let word =
                            unsafe buffer.loadUnaligned(
                                fromByteOffset: offset, as: UInt64.self) ^ mask
                        if filter[Int(word >> 48)], let met = places[word] {
                            for place in met { note(place, mapping, &findings) }
                        }
                        offset += 1
                    }
                }
                page += Self.pageSize
            }
        }

        private func isZero(_ page: Int, _ length: Int) -> Bool {
            guard let start = unsafe buffer.baseAddress, let zero = unsafe zeros.baseAddress else {
                return false
            }
            return unsafe memcmp(start + page, zero, length) == 0
        }

        private func note(
            _ place: (secret: Int, window: Int), _ mapping: MemoryMapping,
            _ findings: inout [Finding]
        ) {
            findings[place.secret].counts[place.window] += 1
            findings[place.secret].flags.formUnion(mapping.flags)
            if !["lo", "dd"].allSatisfy(mapping.flags.contains) {
                findings[place.secret].isProtected = false
            }
        }
    }
#endif
