internal import CommandLine

extension [ExitCodeDescription] {
    /// The exit codes of `taskvault`.
    static let taskvault: [ExitCodeDescription] = [
        .init(.done, "done; for doctor: sound, warnings allowed"),
        .init(.failure, "unexpected failure; read-only storage; incomplete import"),
        .init(.usage, "wrong usage; ambiguous name; no passphrase available"),
        .init(.locked, "locked"),
        .init(.wrongPassphrase, "wrong passphrase or recovery code"),
        .init(.notFound, "not found; no vault"),
        .init(.alreadyExists, "already exists; an agent already runs"),
        .init(.damaged, "damaged, tampered with, rolled back; foreign or newer format"),
        .init(.refused, "refused: not verified, throttled, too large, conflict, policy"),
        .init(.serverUnreachable, "auth server or database server unreachable"),
        .init(.serverRejected, "auth server rejected the credentials"),
        .init(.cannotRun, "the command of run cannot be executed"),
        .init(.noProgram, "the command of run does not exist"),
        .init(.interrupted, "interrupted"),
    ]
}
