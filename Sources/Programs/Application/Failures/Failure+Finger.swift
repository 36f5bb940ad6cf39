internal import TextCoding
internal import VaultAgent

extension Failure {
    /// Maps each error of the fingerprint reader to its exit code, code and message.
    init(_ error: FingerError, by program: String, _ errors: ErrorContext) {
        switch error {
        case .off:
            self.init(
                .refused, code: "finger_off", "verifying with a fingerprint is off",
                hint: errors.command("settings set verify-with-fingerprint yes"))
        case .turnedOff:
            self.init(
                .refused, code: "finger_turned_off",
                "three fingers were not recognised: the fingerprint is turned off until the next unlock",
                hint: errors.command("unlock"))
        case .needsVerification:
            self.init(
                .refused, code: "finger_needs_verification",
                "the fingerprint works after the next verification", hint: errors.command("verify"))
        case .asked:
            self.init(
                .refused, code: "finger_asked", "another program waits for a finger: " + program,
                hint: "touch the reader for it or end it, and run the command again")
        case .absent:
            self.init(
                .refused, code: "no_fprintd", "fprintd does not answer",
                hint: "apt install fprintd")
        case .noReader:
            self.init(
                .refused, code: "no_reader", "there is no fingerprint reader",
                hint: "plug it in, or use the passphrase")
        case .notEnrolled:
            self.init(
                .refused, code: "no_finger_enrolled", "no finger is enrolled",
                hint: "fprintd-enroll enrols one")
        case .busy:
            self.init(
                .refused, code: "reader_busy", "another program uses the fingerprint reader",
                hint: "close it and run the command again")
        case .denied:
            self.init(
                .refused, code: "reader_denied",
                "the system does not allow this session the fingerprint reader",
                hint: "log in at the machine itself, or use the passphrase")
        case .notTrusted:
            self.init(
                .refused, code: "reader_not_trusted",
                "another user's process answers as fprintd", hint: "use the passphrase")
        case .removed:
            self.init(
                .refused, code: "reader_removed", "the fingerprint reader was unplugged",
                hint: "plug it in and run the command again")
        case .failed:
            self.init(
                .refused, code: "reader_failed", "the fingerprint reader failed",
                hint: "unplug it, plug it in and run the command again")
        case .gone:
            self.init(
                .refused, code: "fprintd_ended", "fprintd has ended",
                hint: "run the command again")
        case .timeout:
            self.init(
                .refused, code: "no_finger", "no finger touched the reader in time",
                hint: "run the command again")
        }
    }
}
