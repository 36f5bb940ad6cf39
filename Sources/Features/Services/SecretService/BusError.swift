#if os(Linux)
    internal import LibCrypto
    internal import SecretMemory
    internal import SecureStorage
    internal import TextCoding

    /// A D-Bus error that a method of the Secret Service returns.
    struct BusError: Error, Hashable {
        /// The D-Bus error name.
        let name: String
        /// The error message, which some clients show.
        let text: String

        private static let secret = "org.freedesktop.Secret.Error."
        private static let bus = "org.freedesktop.DBus.Error."

        static let isLocked = BusError(
            name: secret + "IsLocked", text: "the vault is locked: taskvault unlock")
        /// Another text than ``isLocked``: the call does not wait for the vault.
        static let isSessionLocked = BusError(
            name: secret + "IsLocked", text: "the collection is locked")
        static let noSuchObject = BusError(name: secret + "NoSuchObject", text: "no such object")
        static let noSession = BusError(name: secret + "NoSession", text: "no such session")
        static let unknownMethod = BusError(name: bus + "UnknownMethod", text: "no such method")
        static let unknownProperty = BusError(
            name: bus + "UnknownProperty", text: "no such property")
        static let readOnly = BusError(
            name: bus + "PropertyReadOnly", text: "the property cannot be changed")

        static func invalid(_ text: String) -> BusError {
            BusError(name: bus + "InvalidArgs", text: text)
        }

        static func unsupported(_ text: String) -> BusError {
            BusError(name: bus + "NotSupported", text: text)
        }

        static func limitExceeded(_ text: String) -> BusError {
            BusError(name: bus + "LimitsExceeded", text: text)
        }

        static func failed(_ text: String) -> BusError {
            BusError(name: bus + "Failed", text: text)
        }

        /// The D-Bus error for an error of the vault.
        init(_ error: any Error) {
            switch error {
            case let error as BusError: self = error
            case SecureStoreError.locked, SecureStoreError.keysReplaced: self = .isLocked
            case SecureStoreError.notFound: self = .noSuchObject
            case SecureStoreError.tooLarge(let maximum):
                self = .limitExceeded("more than \(maximum) bytes")
            case SecureStoreError.invalidName(let field, _):
                self = .invalid("the \(field) is too long, or holds a control character")
            case SecureStoreError.unavailable(_, let detail): self = .failed(detail)
            case SecureStoreError.damaged: self = .failed("the vault is damaged: taskvault doctor")
            case let error as Failure:
                self = .failed(error.message + (error.hint.map { ": " + $0 } ?? ""))
            case is LibCryptoError: self = .failed("libcrypto cannot be used")
            case is SecretMemoryError: self = .failed("out of guarded memory")
            default: self = .failed("the vault could not be used")
            }
        }

        init(name: String, text: String) {
            self.name = name
            self.text = text
        }
    }
#endif
