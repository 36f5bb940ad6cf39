import Foundation
import Sealing
import SecretMemory
import Testing
import TestSupport

/// Random nonces of 192 bits: two that are the same would mean that the source repeats itself.
@Suite("Nonces")
struct NonceTests {
    /// `TASKVAULT_SEALS` asks for more.
    private static let seals = Attack.amount("TASKVAULT_SEALS", ordinary: 100_000)

    @Test("of many seals are all different")
    func distinct() throws {
        let key = try ValueKey.random(from: .system)
        let context = SealContext(.value, vaultID: [UInt8](repeating: 1, count: 16))
        let plaintext = try Samples.secret("the same")
        var seen: Set<[UInt8]> = []
        for _ in 0..<Self.seals {
            let blob = plaintext.withBytes {
                Sealing.seal($0, under: key, context, random: .system)
            }
            seen.insert(Array(blob.prefix(24)))
        }
        #expect(seen.count == Self.seals)
        Attack.report(["seals": Self.seals, "nonces-twice": Self.seals - seen.count])
    }

    // An exit test, because a copy of this process has only one of its threads.
    @Test("are others in a process that was copied after the library was started", .endsProcess)
    func fork() async {
        await #expect(processExitsWith: .success) {
            exit(ProcessCopies.giveDifferentBytes(.system) ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }

    @Test(
        "would be the same in copies of a process whose source has its state in memory",
        .endsProcess)
    func forkControl() async {
        await #expect(processExitsWith: .exitCode(EXIT_FAILURE)) {
            exit(ProcessCopies.giveDifferentBytes(.seeded(1)) ? EXIT_SUCCESS : EXIT_FAILURE)
        }
    }
}

/// Copies of this process, by `fork`, which Swift does not import: a program should not use it.
private enum ProcessCopies {
    private static let count = 24

    /// Whether this process and each copy of it get bytes that no other got.
    static func giveDifferentBytes(_ source: RandomSource) -> Bool {
        typealias Fork = @convention(c) () -> pid_t
        guard let symbol = unsafe dlsym(dlopen(nil, RTLD_LAZY), "fork") else { return false }
        let fork = unsafe unsafeBitCast(symbol, to: Fork.self)
        var seen: Set = [source.bytes(count: count)]
        for _ in 0..<8 {
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0 else { exit(2) }
            let child = fork()
            if child == 0 {
                let bytes = source.bytes(count: count)
                _exit(unsafe write(ends[1], bytes, count) == count ? 0 : 1)
            }
            var bytes = [UInt8](repeating: 0, count: count)
            guard child > 0, unsafe read(ends[0], &bytes, count) == count else { exit(2) }
            var status: Int32 = 0
            unsafe waitpid(child, &status, 0)
            ends.forEach { close($0) }
            seen.insert(bytes)
        }
        return seen.count == 9
    }
}
