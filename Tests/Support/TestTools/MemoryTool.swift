import CSodium
import Sealing
import SecretMemory
import SecureStorage
import TestSupport
import VaultCore
import VaultStorage

/// `TestTools memory [copy]`: ends with 0 if no secret of a vault stays in memory, with 1 if one does, with 77 if it cannot tell. `copy` makes a
/// mistake on purpose, which must be found.
enum MemoryTool {
    static func run(_ arguments: [String]) -> Int32 {
        do {
            guard var probe = Probe(mistake: arguments.first ?? "") else {
                print("not run: the system does not show a process its own memory")
                return 77
            }
            let code = try probe.run()
            if code == 77 { print("not run: the memory is a sanitizer's") }
            return code
        } catch {
            print("failed: \(error)")
            return 2
        }
    }
}

/// A vault's life from the first passphrase to the lock, with a look at all memory after each step.
private struct Probe {
    /// The values that a session holds while it is unlocked.
    private static let sessionKeys = [
        "lookup key", "row-hash key", "state key", "attribute key", "value key 1", "value key 2",
    ]

    private let scan: MemoryScan
    /// A mistake that is made on purpose, to see that the scan finds it.
    private let mistake: String
    private let mayLock = MemoryLocking.isAvailable
    private var faults = 0

    init?(mistake: String) {
        guard let scan = MemoryScan() else { return nil }
        self.scan = scan
        self.mistake = mistake
    }

    /// Runs it all.
    ///
    /// - Returns: The exit code: 0 for a clean memory, 1 for residues, 77 if the memory cannot be scanned.
    mutating func run() throws -> Int32 {
        let storage = try VaultDatabase.inMemory()
        let environment = TestVault.environment()
        let passphrase = try newSecret("passphrase", count: 24)
        let nextPassphrase = try newSecret("next passphrase", count: 24)
        let value = try newSecret("value", count: 200)
        let replaced = try newSecret("replaced value", count: 9_000)
        guard try look("before", [:]) else { return 77 }
        try typed(passphrase, value)

        _ = try VaultCreation.create(
            in: storage, environment, passphrase: Passphrase(typed: passphrase.reveal()),
            cost: TestVault.cost)
        _ = try look("made", [:])
        for key in try VaultKeysOfFormat.masked(
            of: storage, passphrase: Passphrase(typed: passphrase.reveal()))
        {
            scan.add(key)
        }
        // The keys were just computed here, which is the probe's own doing.
        sodium_stackzero(256 * 1_024)
        _ = try look("before unlocking", [:])

        let vault = try authenticate(storage, environment, passphrase)
        let unlocked = Dictionary(uniqueKeysWithValues: Self.sessionKeys.map { ($0, 1) })
        _ = try look("unlocked", unlocked)
        try use(vault, value, replaced, unlocked)
        vault.endVerification()
        var unverified = unlocked
        unverified["value key 2"] = 0
        _ = try look("verification ended", unverified)
        try vault.verify(with: .passphrase(Passphrase(typed: passphrase.reveal())))
        _ = try look("verified again", unlocked)
        try change(storage, environment, passphrase, to: nextPassphrase)
        _ = try look("passphrase changed", unlocked)
        vault.lock()
        _ = try look("locked", [:])
        return faults == 0 ? 0 : 1
    }

    /// A random secret of printable bytes, masked from the start.
    private func newSecret(_ name: String, count: Int) throws -> MaskedSecret {
        var secret = try RandomSource.system.secret(count: count)
        secret.withMutableBytes { bytes in
            for offset in 0..<bytes.byteCount {
                let byte = unsafe bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self)
                bytes.storeBytes(of: 0x21 + byte % 94, toByteOffset: offset, as: UInt8.self)
            }
        }
        let masked = MaskedSecret(name, secret)
        scan.add(masked)
        return masked
    }

    /// While the probe holds them, they are found: once.
    private mutating func typed(_ passphrase: MaskedSecret, _ value: MaskedSecret) throws {
        let first = try passphrase.reveal()
        let second = try value.reveal()
        _ = try look("typed", [passphrase.name: 1, value.name: 1])
        precondition(first.count + second.count == 224)
    }

    private mutating func authenticate(
        _ storage: any RecordStorage, _ environment: VaultEnvironment, _ passphrase: MaskedSecret
    ) throws -> UnlockedVault {
        let proved = try LockedVault(storage, environment)
            .authenticate(with: .passphrase(Passphrase(typed: passphrase.reveal())))
        var expected = Dictionary(uniqueKeysWithValues: Self.sessionKeys.map { ($0, 1) })
        expected["root key"] = 1
        _ = try look("authenticated", expected)
        return proved.unlock()
    }

    private mutating func use(
        _ vault: UnlockedVault, _ value: MaskedSecret, _ replaced: MaskedSecret,
        _ unlocked: [String: Int]
    ) throws {
        let name = Samples.name
        try vault.save(
            replaced.reveal(), as: name, SecretAttributes(accessClass: .afterVerification))
        _ = try look("saved", unlocked)
        try vault.update(name, to: value.reveal(), expecting: nil)
        _ = try look("updated", unlocked)
        var reading = unlocked
        reading[value.name] = 1
        var failure: (any Error)?
        var kept: [UInt8] = []
        try vault.read(name) { (_, read) throws(SecureStoreError) in
            if mistake == "copy" { kept = Samples.bytes(read) }
            do { _ = try look("reading", reading) } catch { failure = error }
        }
        if let failure { throw failure }
        _ = try look("read", unlocked)
        precondition(kept.isEmpty || mistake == "copy")
        _ = try vault.list()
        try vault.edit(name, SecretEdit(label: "another label"), expecting: nil)
        _ = try look("listed and edited", unlocked)
    }

    private func change(
        _ storage: any RecordStorage, _ environment: VaultEnvironment, _ old: MaskedSecret,
        to new: MaskedSecret
    ) throws {
        let proved = try LockedVault(storage, environment)
            .authenticate(with: .passphrase(Passphrase(typed: old.reveal())))
        _ = try proved.changePassphrase(
            to: Passphrase(typed: new.reveal()), cost: TestVault.cost)
        _ = try LockedVault(storage, environment)
            .authenticate(with: .passphrase(Passphrase(typed: new.reveal())))
            .replaceRecoveryCode()
    }

    /// Scans, says what differs from `expected` copies (0 where nothing is said), and counts it.
    ///
    /// - Returns: Whether the memory could be scanned.
    private mutating func look(_ step: String, _ expected: [String: Int]) throws -> Bool {
        guard let findings = try scan.run() else { return false }
        for (name, finding) in findings.sorted(by: { $0.key < $1.key }) {
            let copies = expected[name] ?? 0
            let isProtected = copies == 0 || finding.isProtected || !mayLock
            if finding.copies == copies, isProtected {
                if copies > 0 { print("ok     \(step): \(name), \(copies) copy, protected") }
                continue
            }
            faults += 1
            let flags = finding.flags.sorted().joined(separator: " ")
            print(
                "FAULT  \(step): \(name), expected \(copies), found \(finding.found) of "
                    + "\(finding.counts.count) windows, up to \(finding.counts.max() ?? 0) times [\(flags)]"
            )
        }
        print("ok     \(step): looked for \(findings.count) secrets")
        return true
    }
}
