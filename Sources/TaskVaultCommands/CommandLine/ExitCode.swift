/// How `taskvault` ends, for scripts: the number is a promise.
package enum ExitCode: Int32, Sendable, Hashable, CaseIterable {
    /// Done; `doctor` found the vault sound, perhaps with warnings.
    case done = 0
    /// Something unexpected failed, or the storage can only be read.
    case failure = 1
    /// The command line is wrong, or no passphrase was to be had.
    case usage = 2
    /// The vault is locked.
    case locked = 3
    /// The passphrase or recovery code is wrong.
    case wrongPassphrase = 4
    /// There is no such item, or no vault.
    case notFound = 5
    /// There is one already.
    case alreadyExists = 6
    /// Damaged, tampered with, rolled back, or of a foreign or newer format.
    case damaged = 7
    /// Refused: not verified, too large, changed by somebody else, against a rule.
    case refused = 8
    /// The auth server, or the database server, cannot be reached.
    case serverUnreachable = 9
    /// The auth server rejected the credentials.
    case serverRejected = 10
    /// Ended by Ctrl-C or another signal.
    case interrupted = 130

    /// What the code means, as the documents say it.
    package var meaning: String {
        switch self {
        case .done: "done; for doctor: sound, warnings allowed"
        case .failure: "unexpected failure; read-only storage"
        case .usage: "wrong usage; ambiguous name; no passphrase to be had"
        case .locked: "locked"
        case .wrongPassphrase: "wrong passphrase or recovery code"
        case .notFound: "not found; no vault"
        case .alreadyExists: "already exists; an agent already runs"
        case .damaged: "damaged, tampered with, rolled back; foreign or newer format"
        case .refused: "refused: not verified, throttled, too large, conflict, policy"
        case .serverUnreachable: "auth server or database server unreachable"
        case .serverRejected: "auth server rejected the credentials"
        case .interrupted: "interrupted"
        }
    }

    /// The `code` of JSON errors, unless a failure has a more exact one.
    package var name: String {
        switch self {
        case .done: "done"
        case .failure: "failure"
        case .usage: "usage"
        case .locked: "locked"
        case .wrongPassphrase: "wrong_passphrase"
        case .notFound: "not_found"
        case .alreadyExists: "already_exists"
        case .damaged: "damaged"
        case .refused: "refused"
        case .serverUnreachable: "server_unreachable"
        case .serverRejected: "server_rejected"
        case .interrupted: "interrupted"
        }
    }
}
