#if os(Linux)
    internal import Foundation

    /// One mapping of a process, as the kernel reports it.
    package struct MemoryMapping: Sendable {
        /// The addresses of the mapping.
        package let range: Range<UInt>
        /// The permissions, such as `rw-p`.
        package let permissions: String
        /// The file, or a name such as `[stack]`, or empty.
        package let name: String
        /// The two-letter flags of `VmFlags`.
        package fileprivate(set) var flags: [String] = []

        /// All mappings, by `smaps` in the folder of a process or thread. The default is this thread: the main thread may have ended, and
        /// `/proc/self` is its folder.
        package static func all(of folder: String = "/proc/thread-self") throws -> [MemoryMapping] {
            // Not by `String(contentsOfFile:)`, which makes only one read(2) of a file that reports size 0.
            let file = try FileHandle(forReadingFrom: URL(filePath: folder + "/smaps"))
            let text = String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
            var mappings: [MemoryMapping] = []
            for line in text.split(separator: "\n") {
                if line.hasPrefix("VmFlags:"), !mappings.isEmpty {
                    mappings[mappings.count - 1].flags =
                        line.dropFirst(8).split(separator: " ").map(String.init)
                } else if let mapping = MemoryMapping(line) {
                    mappings.append(mapping)
                }
            }
            return mappings
        }

        /// Whether an address is mapped, without an allocation in between. The C function is `mincore`.
        package static func isMapped(_ address: UInt) -> Bool {
            var residence: UInt8 = 0
            let page = unsafe UnsafeMutableRawPointer(bitPattern: address & ~4_095)
            return unsafe mincore(page, 1, &residence) == 0
        }

        private init?(_ line: Substring) {
            let words = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            let ends = (words.first ?? "").split(separator: "-")
            guard words.count >= 5, ends.count == 2, let start = UInt(ends[0], radix: 16),
                let end = UInt(ends[1], radix: 16)
            else { return nil }
            range = start..<end
            permissions = String(words[1])
            name = words.count > 5 ? words[5].trimmingCharacters(in: .whitespaces) : ""
        }
    }
#endif
