import HTTPClient
import SecretMemory
import SecureStorage
import SignIn

/// Somebody with a vault in memory, who starts the program again and again.
struct Person {
    let account: AccountName
    let store: MemorySecureStore
    let machine: MachineState
    let client: OAuthClient

    /// A start: what is typed is handed in where somebody is asked.
    func start(typing typed: [String] = []) throws -> LoginFlow.Outcome {
        var attempt = LoginAttempt(SignInContext(account, at: client, store, machine))
        var rest = typed[...]
        while true {
            switch try attempt.proceed() {
            case .done(let outcome):
                guard rest.isEmpty else { throw ProbeFailure(step: "not all was asked for") }
                return outcome
            case .ask:
                if let password = rest.popFirst() {
                    attempt.answer(try secret(password))
                } else {
                    attempt.decline()
                }
            case .refresh, .signIn: throw ProbeFailure(step: "an attempt stopped")
            }
        }
    }

    func password() throws -> String? {
        try withCache { (cache) throws(SecureStoreError) in
            switch try cache.password(.current, of: account) {
            case .some(let password): text(password.value)
            case .none: nil
            }
        }
    }

    func token(_ kind: CredentialCache.TokenKind) throws -> String? {
        try withCache { (cache) throws(SecureStoreError) in
            switch try cache.token(kind) {
            case .some(let token): text(token)
            case .none: nil
            }
        }
    }

    private func withCache<Value>(
        _ body: (CredentialCache) throws(SecureStoreError) -> Value
    ) throws -> Value {
        try machine.withCache(of: client.issuer, in: store, body)
    }
}

func secret(_ text: String) throws(SecretMemoryError) -> SecretBytes {
    let bytes = Array(text.utf8)
    return try SecretBytes(copying: unsafe bytes.span.bytes)
}

func text(_ secret: borrowing SecretBytes) -> String {
    secret.withBytes { bytes in
        String(
            decoding: (0..<bytes.byteCount).map {
                unsafe bytes.unsafeLoad(fromByteOffset: $0, as: UInt8.self)
            }, as: UTF8.self)
    }
}
