import CommandLine
import Platform
import SecretMemory
import SecurityKeys
import SoftwareAuthenticator
import TaskVaultCommands

// The commands of `taskvault` with software authenticators in the place of security keys. `SOFTWARE_KEYS` has a digit for each that is
// plugged in: keys of one digit are the same key. The PIN of each is 1234.
let digits = EnvironmentVariables.ofProcess()["SOFTWARE_KEYS"] ?? ""
let keys = digits.utf8.map { digit in
    let key = SoftwareAuthenticator(seed: [UInt8](repeating: digit, count: 32), pin: "1234")
    key.plugIn()
    return key
}
ProcessHardening.apply(runsPrograms: false)
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
let program = Program(
    .ofProcess(), keys: SecurityKeys(devices: SoftwareAuthenticator.devices(keys)))
exit(program.run())
