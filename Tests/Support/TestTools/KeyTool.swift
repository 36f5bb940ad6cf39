import CommandLine
import Platform
import SecretMemory
import SecurityKeys
import SoftwareAuthenticator
import TaskVaultCommands

/// The commands of `taskvault` with software authenticators in the place of security keys. `SOFTWARE_KEYS` has a digit for each that is
/// plugged in: keys of one digit are the same key. `SOFTWARE_TOUCHED` has the digits of those that the owner touches; without it, all are.
/// `SOFTWARE_FAULT` is the code of the failure that each of them causes. The PIN of each is 1234.
enum KeyTool {
    static func run() -> Int32 {
        let environment = EnvironmentVariables.ofProcess()
        let touched = environment["SOFTWARE_TOUCHED"].map { Array($0.utf8) }
        let fault = environment["SOFTWARE_FAULT"]
        let faults: [String: (inout SoftwareAuthenticator.Options) -> Void] = [
            "key_not_permitted": { $0.mayBeOpened = false },
            "key_busy": { $0.isBusy = true },
            "key_removed": { $0.lastPacket = 10 },
            "no_touch": { $0.touch = .tooLate },
            "key_denied": { $0.touch = .declined },
            "key_without_hmac_secret": { $0.hasHMACSecret = false },
            "key_without_cred_protect": { $0.hasCredentialProtection = false },
            "key_without_verification": { $0.supportsPIN = false },
            "pin_must_change": { $0.mustChangePIN = true },
            "pin_paused": { $0.statuses[.clientPIN(9)] = 0x34 },
            "pin_blocked": { $0.statuses[.clientPIN(9)] = 0x32 },
            "finger_not_recognised": { $0.reader = .fails },
            "reader_blocked": { $0.reader = .blocked },
            "key_full": { $0.statuses[.makeCredential] = 0x28 },
            "key_untrusted": { $0.signsWrongly = true },
            "key_failed": { $0.statuses[.getInfo] = 0x7F },
        ]
        let withoutPIN = [
            "pin_not_set", "key_without_verification", "finger_not_recognised", "reader_blocked",
        ]
        let keys = (environment["SOFTWARE_KEYS"] ?? "").utf8.map { digit in
            var options = SoftwareAuthenticator.Options()
            if let touched, !touched.contains(digit) { options.touch = .onCall }
            if let fault { faults[fault]?(&options) }
            let key = SoftwareAuthenticator(
                seed: [UInt8](repeating: digit, count: 32),
                pin: fault.map(withoutPIN.contains) == true ? nil : "1234", options: options)
            key.plugIn()
            return key
        }
        ProcessHardening.apply(runsPrograms: false)
        Descriptor.ignoreWriteSignals()
        Descriptor.fillStandardDescriptors()
        let program = Program(
            .ofProcess(), keys: SecurityKeys(devices: SoftwareAuthenticator.devices(keys)))
        return program.run(as: "taskvault")
    }
}
