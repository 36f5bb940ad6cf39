internal import CFido2

/// Why a security key gave no output.
public enum SecurityKeyError: Error, Sendable, Hashable {
    /// libfido2 is not installed.
    case libraryMissing
    /// No security key is connected.
    case notPluggedIn
    /// This user may not open the key's device file.
    case notPermitted
    /// Another program uses the key.
    case busy
    /// The key was unplugged during use.
    case removed
    /// The key was not touched in time.
    case noTouch
    /// The key refused, or the owner declined on the key.
    case denied
    /// The key has none of the credentials: it is another key, or it was reset.
    case unknownKey
    /// The key has one of the excluded credentials.
    case alreadyEnrolled
    /// The key lacks the extension hmac-secret.
    case noHMACSecret
    /// The key did not grant credProtect level 3.
    case noCredentialProtection
    /// The key has neither a PIN nor a fingerprint reader.
    case noUserVerification
    /// The key supports a PIN, but none is set.
    case pinNotSet
    /// The key requires a change of its PIN first.
    case pinMustChange
    /// Three PINs in a row were wrong.
    ///
    /// - Parameter attemptsLeft: The number of attempts before the key blocks its PIN; nil if the key does not report it.
    case pinWrong(attemptsLeft: Int?)
    /// The key accepts no PIN until it is unplugged and connected again.
    case pinTemporarilyBlocked
    /// The key accepts no PIN until it is reset, which erases its credentials.
    case pinBlocked
    /// The fingerprint reader did not recognise the owner, and the key has no PIN.
    case notRecognised
    /// The fingerprint reader is blocked, and the key has no PIN.
    case readerBlocked
    /// The key has no space for another credential.
    case full
    /// The response of the key is malformed, not signed by the credential, or without user verification.
    case untrusted
    /// Another failure.
    ///
    /// - Parameter code: A CTAP status or, if it is negative, an error of libfido2.
    case failed(code: Int32)

    /// The error for a result code of libfido2.
    init(code: Int32) {
        self =
            switch Int(code) {
            case CFIDO_ERR_CHANNEL_BUSY: .busy
            case CFIDO_ERR_TIMEOUT, CFIDO_ERR_USER_ACTION_TIMEOUT, CFIDO_ERR_ACTION_TIMEOUT:
                .noTouch
            case CFIDO_ERR_OPERATION_DENIED, CFIDO_ERR_KEEPALIVE_CANCEL: .denied
            case CFIDO_ERR_NO_CREDENTIALS, CFIDO_ERR_INVALID_CREDENTIAL: .unknownKey
            case CFIDO_ERR_CREDENTIAL_EXCLUDED: .alreadyEnrolled
            case CFIDO_ERR_UNSUPPORTED_EXTENSION: .noHMACSecret
            case CFIDO_ERR_PIN_NOT_SET: .pinNotSet
            case CFIDO_ERR_PIN_POLICY_VIOLATION: .pinMustChange
            case CFIDO_ERR_PIN_INVALID: .pinWrong(attemptsLeft: nil)
            case CFIDO_ERR_PIN_AUTH_BLOCKED: .pinTemporarilyBlocked
            case CFIDO_ERR_PIN_BLOCKED: .pinBlocked
            case CFIDO_ERR_UV_INVALID: .notRecognised
            case CFIDO_ERR_UV_BLOCKED: .readerBlocked
            case CFIDO_ERR_KEY_STORE_FULL: .full
            case CFIDO_ERR_CBOR_UNEXPECTED_TYPE, CFIDO_ERR_INVALID_CBOR,
                CFIDO_ERR_RX_NOT_CBOR, CFIDO_ERR_RX_INVALID_CBOR, CFIDO_ERR_INVALID_PARAM,
                CFIDO_ERR_INVALID_SIG:
                .untrusted
            default: .failed(code: code)
            }
    }
}
