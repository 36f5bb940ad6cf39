import CommandLine
import Platform
import SecretMemory
import TaskVaultCommands

let role = unsafe ProcessRole(Swift.CommandLine.argc, Swift.CommandLine.unsafeArgv)
guard platform_reserve_heap() else {
    _ = unsafe Descriptor.writeOnce(
        "taskvault: error: not enough memory\n".utf8Span.span.bytes, to: Descriptor.standardError)
    exit(1)
}
ProcessHardening.apply(runsPrograms: role.runsPrograms)
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(
    ClipboardKeeper.run(Swift.CommandLine.arguments.dropFirst())
        ?? Program(.ofProcess()).run(as: Swift.CommandLine.arguments.first ?? ""))
