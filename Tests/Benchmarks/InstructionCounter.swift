#if os(Linux)
    internal import CTestPlatform
    internal import Platform

    /// Counts the instructions of this thread, without those of the system.
    struct InstructionCounter {
        private let count: (_ body: () throws -> Void) throws -> Double

        /// How many instructions one of `count` operations takes that `body` does.
        func instructions(per count: Int = 1, _ body: () throws -> Void) throws -> Double {
            try self.count(body) / Double(count)
        }

        /// The counter of the processor. Nil without one, as in most virtual machines, or with one that stands still.
        static var ofProcessor: InstructionCounter? {
            let descriptor = test_platform_instructions()
            func sum() -> UInt64 {
                var sum: UInt64 = 0
                return unsafe read(descriptor, &sum, 8) == 8 ? sum : 0
            }
            guard sum() > 0 else { return nil }
            return InstructionCounter { body in
                let start = sum()
                try body()
                return Double(sum() - start)
            }
        }

        /// The counter of callgrind, which runs this process and writes its sums to `file.1`, `file.2` and so on. Nil elsewhere.
        static func ofCallgrind(_ file: String) -> InstructionCounter? {
            guard test_platform_ask_valgrind(0x1001) == 1 else { return nil }
            var number = 0
            return InstructionCounter { body in
                // CALLGRIND_START_INSTRUMENTATION, CALLGRIND_STOP_INSTRUMENTATION, CALLGRIND_DUMP_STATS
                _ = test_platform_ask_valgrind(0x4354_0004)
                try body()
                for request: UInt in [0x4354_0005, 0x4354_0000] {
                    _ = test_platform_ask_valgrind(request)
                }
                number += 1
                let sums = try TextFile.read("\(file).\(number)").split(separator: "\n")
                guard let sum = sums.first(where: { $0.hasPrefix("totals: ") }),
                    let count = Double(sum.dropFirst("totals: ".count)), count > 0
                else { throw BenchmarkFailure("callgrind wrote no sum") }
                return count
            }
        }
    }
#endif
