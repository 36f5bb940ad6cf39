internal import SecretMemory
internal import SecureStorage

extension AccessClass {
    /// The name in exports and on the command line.
    var exchangeName: String {
        switch self {
        case .whileUnlocked: "while-unlocked"
        case .afterVerification: "after-verification"
        }
    }

    init?(exchangeName: String) {
        guard let found = Self.allCases.first(where: { $0.exchangeName == exchangeName }) else {
            return nil
        }
        self = found
    }
}

/// What TaskVault's own formats say of a secret beside its value.
struct TaskVaultRecord {
    let line: Int
    let service: String
    let account: String
    let attributes: SecretAttributes
    let created: Int64
    let modified: Int64

    /// Hands on the secret under its name, or a numbered one if the file was edited and has the name twice.
    func deliver(
        _ value: borrowing SecretBytes, _ run: inout ImportRun, _ receive: SecretReceiver
    ) throws(ExchangeError) {
        let claim: (names: [SecretName], isNumbered: Bool)
        do {
            claim = try run.names.claim { (number) throws(SecureStoreError) in
                let account = account + NameRegistry.suffix(number)
                return [try SecretName(service: service, account: account)]
            }
        } catch {
            return run.skip(line, .refused(error))
        }
        if claim.isNumbered { run.note(line, [.numbered]) }
        let secret = ImportedSecret(
            name: claim.names[0], attributes: attributes, line: line, created: created,
            modified: modified)
        try run.deliver(secret, value, to: receive)
    }
}
