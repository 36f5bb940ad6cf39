internal import Sealing

/// A recovery code and its slot.
struct RecoverySlot: ~Copyable {
    let code: RecoveryCode
    let slot: KeySlot

    static func make(
        rootKey: borrowing RootKey, vaultID: [UInt8], keyEpoch: UInt32,
        _ environment: VaultEnvironment
    ) throws(VaultError) -> RecoverySlot {
        var made: VaultSecret
        do throws(SealingError) {
            made = .recoveryCode(try RecoveryCode.random(from: environment.random))
        } catch {
            throw VaultError(error)
        }
        let slot = try KeySlot.make(
            for: made, cost: .standard, rootKey: rootKey, vaultID: vaultID, keyEpoch: keyEpoch,
            environment)
        switch consume made {
        case .recoveryCode(let code): return RecoverySlot(code: code, slot: slot)
        case .passphrase: throw .noSuchSlot
        }
    }

    consuming func takeCode() -> RecoveryCode { code }
}
