internal import CommandLine
internal import SecureStorage
internal import TextCoding

/// The names under which other programs call this executable. Each name is a link to the executable, and stands for words.
enum HelperName: String, CaseIterable {
    /// For git: `credential.helper = taskvault`.
    case git = "git-credential-taskvault"
    /// For docker: `"credsStore": "taskvault"`.
    case docker = "docker-credential-taskvault"
    /// The name of `taskvault services` in packages, also for older units of systemd.
    case services = "taskvault-services"
    /// The name of `taskvault app --foreground` in packages.
    case app = "taskvault-app"

    /// The words that the name stands for.
    var words: [String] {
        switch self {
        case .git: ["git-credential"]
        case .docker: ["docker-credential"]
        case .services: ["services"]
        case .app: ["app", "--foreground"]
        }
    }

    /// The arguments of a process, with the words that its name stands for.
    ///
    /// - Parameters:
    ///   - arguments: Its arguments, without the name.
    ///   - path: Its name, with or without folders.
    /// - Returns: The arguments after the name `taskvault`.
    static func arguments(_ arguments: [String], of path: String) -> [String] {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        guard let helper = HelperName(rawValue: name) else { return arguments }
        // Units and shortcuts that were made for earlier versions call `taskvault-services run`.
        let isOld = (helper == .services || helper == .app) && arguments.first == "run"
        return helper.words + arguments.dropFirst(isOld ? 1 : 0)
    }
}

/// The encoding of the names of stored credentials.
enum CredentialName {
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)

    /// Percent-encodes all bytes except letters, digits, `-._~` and the given ones, with two hexadecimal digits.
    static func escaped(_ text: String, keeping kept: String = "") -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if plain.contains(byte) || kept.utf8.contains(byte) {
                result.append(byte)
            } else {
                result += "%".utf8
                if byte < 16 { result += "0".utf8 }
                result += String(byte, radix: 16, uppercase: true).utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The account of a user name: a lone `%` for an empty one, `%-` for none. Otherwise a percent sign becomes `%25`.
    static func account(_ user: String?) -> String {
        guard let user else { return "%-" }
        return user.isEmpty
            ? "%"
            : user.split(separator: "%", omittingEmptySubsequences: false)
                .joined(separator: "%25")
    }

    /// The user name of an account; nil for none.
    static func user(_ account: String) -> String? {
        switch account {
        case "%-": nil
        case "%": ""
        default: account.substituting("%25", for: "%")
        }
    }
}

extension Failure {
    /// The failure for a line that the receiving program could read as two.
    static let brokenLine = Failure(
        .refused, code: "control_character",
        "the input has a CR, LF or NUL byte in a value", hint: nil)
}

extension SecureStore {
    /// Saves a value and its attributes; writes nothing if the store already has both.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - name: Its name.
    ///   - attributes: Label and further attributes; those of an existing secret with other keys stay.
    ///   - owned: The keys of further attributes that become invalid with their value.
    /// - Returns: Whether the value differs from the earlier one.
    /// - Throws: `SecureStoreError`; `conflict` if another process changed the secret meanwhile.
    @discardableResult
    func put(
        _ value: borrowing SecretBytes, as name: SecretName, _ attributes: SecretAttributes,
        owning owned: [String] = []
    ) throws -> Bool {
        let found: (item: SecretItem, isEqual: Bool)?
        do {
            found = try read(name) { (item, stored) throws(SecureStoreError) in
                (item, stored.isEqual(to: value))
            }
        } catch {
            guard error == .notFound else { throw error }
            found = nil
        }
        guard let found else {
            try save(value, as: name, attributes)
            return true
        }
        var changed = found.item.attributes
        // A caller that repeats an equal value may not know its attributes.
        for key in owned where !found.isEqual || attributes[key] != nil {
            changed[key] = attributes[key]
        }
        if found.isEqual, changed == found.item.attributes { return false }
        try update(
            name, to: value, SecretEdit(extra: changed.extra), expecting: found.item.revision)
        return !found.isEqual
    }
}

/// The largest number of attempts of ``SecureStore/retryingConflicts(_:)``.
private let mostAttempts = 100

extension SecureStore {
    /// Runs `body`, and again while other processes change the same secrets, as a build that logs in several times at once.
    ///
    /// Each attempt reads anew. Of several processes at least one succeeds, so the number of attempts is that of the processes.
    ///
    /// - Parameter body: Reads and changes secrets.
    /// - Returns: The result of `body`.
    /// - Throws: The error of `body`.
    func retryingConflicts<Result>(_ body: () throws -> Result) throws -> Result {
        for _ in 1..<mostAttempts {
            do {
                return try body()
            } catch SecureStoreError.conflict, SecureStoreError.duplicate, SecureStoreError.notFound
            {
                continue
            }
        }
        return try body()
    }
}
