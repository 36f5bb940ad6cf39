import HTTPClient
import SecretMemory
import SecureStorage
import SignIn

/// A person with a vault in memory who starts the program repeatedly.
struct Person {
    let account: AccountName
    let store: MemorySecureStore
    let machine: MachineState
    let client: OAuthClient

    /// Signs in. Each question gets the next typed password.
    func start(typing typed: [String] = []) throws -> LoginFlow.Outcome {
        var login = LoginFlow(SignInContext(account, at: client, store, machine))
        var rest = typed[...]
        let outcome = try login.run { (_, _) throws -> SecretBytes? in
            guard let password = rest.popFirst() else { return nil }
            return try secret(password)
        }
        guard rest.isEmpty else { throw ProbeFailure(step: "not every password was asked for") }
        return outcome
    }

    /// Stores the tokens of a sign-in on a page.
    func accept(_ tokens: consuming GrantedTokens) throws -> LoginFlow.Outcome {
        var login = LoginFlow(SignInContext(account, at: client, store, machine))
        return try login.accept(tokens)
    }

    func password() throws -> String? {
        try withCache { cache in
            switch try cache.password(.current, of: account) {
            case .some(let password): text(password.value)
            case .none: nil
            }
        }
    }

    func token(_ kind: CredentialCache.TokenKind) throws -> String? {
        try withCache { cache in
            switch try cache.token(kind) {
            case .some(let token): text(token)
            case .none: nil
            }
        }
    }

    private func withCache<Value>(
        _ body: (CredentialCache) throws -> Value
    ) throws -> Value {
        try machine.withCache(of: client.issuer, in: store, body)
    }
}

func secret(_ text: String) throws -> SecretBytes {
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
