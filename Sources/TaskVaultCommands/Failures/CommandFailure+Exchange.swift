internal import CommandLine
internal import Secrets
internal import SecureStorage
internal import VaultCore

extension CommandFailure {
    /// Explains why a file could not be imported.
    init(importing error: any Error, _ vault: VaultReference) {
        switch error {
        case let error as SecureStoreError:
            self.init(error, vault)
        case ExchangeError.tooLarge:
            self.init(.refused, code: "too_large", "\(error)")
        case is ExchangeError:
            self.init(
                .usage, code: "not_importable", "nothing was imported: \(error)",
                hint: "export it again as CSV, in UTF-8, with the header line")
        default:
            self = .outOfMemory
        }
    }
}
