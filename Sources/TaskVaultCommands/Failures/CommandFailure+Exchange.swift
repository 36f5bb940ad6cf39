internal import CommandLine
internal import Secrets
internal import VaultCore

extension CommandFailure {
    /// Explains why a file could not be imported.
    init(_ error: ExchangeError, _ vault: VaultReference) {
        switch error {
        case .store(let error):
            self.init(error, vault)
        case .outOfMemory:
            self = .outOfMemory
        case .tooLarge:
            self.init(.refused, code: "too_large", error.description)
        default:
            self.init(
                .usage, code: "not_importable", "nothing was imported: \(error.description)",
                hint: "export it again as CSV, in UTF-8, with the header line")
        }
    }
}
