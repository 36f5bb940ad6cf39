internal import SecurityKeys
internal import TextCoding

extension Failure {
    /// Maps each error of security keys to its exit code, code and message.
    init(_ error: SecurityKeyError, _ errors: ErrorContext) {
        let otherWay = "use the passphrase or the recovery code"
        switch error {
        case .libraryMissing:
            self.init(
                .failure, code: "no_libfido2", "libfido2 is not installed",
                hint: "apt install libfido2-1")
        case .notPluggedIn:
            self.init(
                .notFound, code: "no_key_plugged_in", "no security key is plugged in",
                hint: "plug it in, or " + otherWay)
        case .notPermitted:
            self.init(
                .refused, code: "key_not_permitted",
                "the security key cannot be opened: permission denied",
                hint:
                    "log in at the machine itself; apt install libfido2-1 has the rules for udev")
        case .busy:
            self.init(
                .refused, code: "key_busy", "another program uses the security key",
                hint: "close it and run the command again")
        case .removed:
            self.init(
                .refused, code: "key_removed", "the security key was unplugged",
                hint: "plug it in and run the command again")
        case .noTouch:
            self.init(
                .refused, code: "no_touch", "the security key was not touched in time",
                hint: "run the command again, and touch the key while it blinks")
        case .denied:
            self.init(
                .refused, code: "key_denied", "the security key refused", hint: otherWay)
        case .unknownKey:
            self.init(
                .wrongPassphrase, code: "wrong_key",
                "this security key does not open the vault: it is another one, or was reset",
                hint: "plug in another key, or " + otherWay)
        case .alreadyEnrolled:
            self.init(
                .alreadyExists, code: "duplicate_key",
                "this security key opens the vault already",
                hint: errors.command("key list") + " shows the keys")
        case .noHMACSecret:
            self.init(
                .refused, code: "key_without_hmac_secret",
                "the security key cannot be used: it lacks hmac-secret",
                hint: "use a key with FIDO2 (CTAP 2.0 or later)")
        case .noCredentialProtection:
            self.init(
                .refused, code: "key_without_cred_protect",
                "the security key cannot be used: it does not grant credProtect",
                hint: "use a key with CTAP 2.1")
        case .noUserVerification:
            self.init(
                .refused, code: "key_without_verification",
                "the security key cannot be used: it has neither PIN nor fingerprint reader",
                hint: "use a key with a PIN")
        case .pinNotSet:
            self.init(
                .refused, code: "pin_not_set", "the security key has no PIN yet",
                hint: "fido2-token -S /dev/hidrawN sets one; fido2-token -L shows N")
        case .pinMustChange:
            self.init(
                .refused, code: "pin_must_change", "the security key demands a new PIN",
                hint: "fido2-token -C /dev/hidrawN changes it; fido2-token -L shows N")
        case .pinWrong(let attemptsLeft):
            self.init(
                .wrongPassphrase, code: "wrong_pin",
                "wrong PIN" + (attemptsLeft.map { "; \(counted($0, "attempt")) left" } ?? ""),
                hint: "too many wrong PINs block the key for good; " + otherWay)
        case .pinTemporarilyBlocked:
            self.init(
                .refused, code: "pin_paused",
                "the security key accepts no PIN until it is plugged in again",
                hint: "unplug it, plug it in and run the command again")
        case .pinBlocked:
            self.init(
                .refused, code: "pin_blocked",
                "the security key is blocked: too many wrong PINs",
                hint: otherWay + "; a reset key (fido2-token -R) must be added again")
        case .notRecognised:
            self.init(
                .wrongPassphrase, code: "finger_not_recognised",
                "the security key did not recognise the finger",
                hint: "run the command again, or " + otherWay)
        case .readerBlocked:
            self.init(
                .refused, code: "reader_blocked",
                "the fingerprint reader of the security key is blocked", hint: otherWay)
        case .full:
            self.init(
                .refused, code: "key_full", "the security key has no room for another credential",
                hint: "fido2-token -L -r /dev/hidrawN lists them, and fido2-token -D deletes one")
        case .untrusted:
            self.init(
                .refused, code: "key_untrusted", "the answer of the security key is not valid",
                hint: "unplug it, plug it in and run the command again, or " + otherWay)
        case .failed(let code):
            self.init(
                .failure, code: "key_failed", "the security key failed with code \(code)",
                hint: "unplug it, plug it in and run the command again, or " + otherWay)
        }
    }
}
