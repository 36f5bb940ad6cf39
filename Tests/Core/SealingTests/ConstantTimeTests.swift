#if os(Linux)
    import Glibc
    import Testing
    import Sealing

    /// No time is measured: the system tells which pages were looked at.
    @Suite("A comparison in constant time")
    struct ConstantTimeTests {
        private static let pageSize = 4_096
        private static let pages = 1_000

        @Test("looks at everything, also where the first byte differs")
        func everything() {
            #expect(Self.pagesRead { ConstantTime.areEqual($0, $1) } == Self.pages)
            // One that leaves at the first difference would be found.
            #expect(Self.pagesRead { $0 == $1 } < Self.pages / 2)
        }

        @Test("tells equal bytes from others", arguments: [0, 1, 31])
        func answers(place: Int) {
            let bytes = (0..<32).map { UInt8($0) }
            var other = bytes
            #expect(ConstantTime.areEqual(bytes, other))
            other[place] ^= 0x80
            #expect(!ConstantTime.areEqual(bytes, other))
            #expect(!ConstantTime.areEqual(bytes, bytes.dropLast()))
        }

        /// Of how many pages in the middle of its second operand a comparison reads something.
        private static func pagesRead(_ areEqual: ([UInt8], [UInt8]) -> Bool) -> Int {
            let right = [UInt8](repeating: 0, count: (pages + 2) * pageSize)
            var left = right
            left[0] = 1
            return unsafe right.withUnsafeBytes { buffer in
                guard let start = buffer.baseAddress else { return 0 }
                let middle = unsafe UnsafeMutableRawPointer(
                    mutating: (start + 1).alignedUp(toMultipleOf: pageSize))
                // Zeros come back as zeros, once somebody looks.
                unsafe madvise(middle, pages * pageSize, MADV_DONTNEED)
                #expect(!areEqual(left, right))
                var isPresent = [UInt8](repeating: 0, count: pages)
                unsafe mincore(middle, pages * pageSize, &isPresent)
                return isPresent.count { $0 & 1 == 1 }
            }
        }
    }
#endif
