package import HTTPClient
internal import Inbox
internal import SecureStorage
internal import SignIn
internal import TextCoding

extension Failure {
    /// Explains an error of an operation on a message; nil for an error with the same message for
    /// every item.
    init?(_ error: SecureStoreError, ofMessage id: String, _ vault: VaultReference) {
        switch error {
        case .notFound:
            self.init(
                .notFound, "there is no message \(ShellText.quote(id))",
                hint: vault.command("inbox list"))
        case .duplicate:
            self.init(
                .alreadyExists,
                (id == "-" ? "the message" : ShellText.quote(id)) + " was received before",
                hint: vault.command("inbox list"))
        case .conflict:
            self.init(
                .refused, code: "conflict", "another process changed the message",
                hint: "run it again")
        default: return nil
        }
    }

    /// Explains why a message cannot be decrypted or sent.
    init(_ error: PushError) {
        switch error {
        case .tooLarge:
            self.init(
                .refused, code: "too_large", "the message is larger than 3,993 bytes",
                hint: "shorten it")
        case .address:
            self.init(
                .usage, code: "invalid_address", "this is not the address of an inbox",
                hint: "the owner of the inbox makes one: taskvault inbox address --for NAME")
        case .header, .records, .notAuthentic, .padding:
            self.init(.refused, code: "not_a_message", "the message cannot be decrypted")
        }
    }

    /// Explains why a picture cannot be displayed.
    init(_ error: PictureError) {
        switch error {
        case .status(let status):
            self.init(
                .serverUnreachable, code: "no_picture",
                "the server of the picture answered with status \(status)")
        case .notAPicture:
            self.init(
                .refused, code: "not_a_picture",
                "the content at the address is not a picture (JPEG, PNG, GIF, WebP, HEIC, AVIF)")
        }
    }

    /// Explains why a picture was not loaded.
    package init(picture error: HTTPClientError, at host: String) {
        switch error {
        case .notPublic:
            self.init(
                .refused, code: "private_address",
                "\(host) is an address of this machine or a private network",
                hint: "--private-network allows it")
        case .contentTooLarge:
            self.init(.refused, code: "too_large", "the picture is larger than 5 MiB")
        case .plainHTTP, .redirected:
            self.init(
                .refused, code: "redirected",
                "\(host) redirects too often, or to an address that is not valid https")
        case .connectingTimedOut, .timedOut:
            self.init(.serverUnreachable, "\(host) did not send the picture within 10 seconds")
        case .libraryMissing:
            self.init(error)
        default:
            self.init(
                .serverUnreachable, "cannot load the picture from \(host): \(error.explanation)",
                hint: error == .certificate(.unknownAuthority)
                    ? "the authority of its certificate must be in the system's store"
                    : error.mayHaveArrived ? "run it again" : nil)
        }
    }
}
