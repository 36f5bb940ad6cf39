// Defines the functions of SQLite.
import CLateSQLite
// Replaces free(3).
import CWipingHeap
import CommandLine
import Platform
import SecretMemory
import TaskVaultCommands

let arguments = ProcessArguments.texts
ProcessHardening.apply(runsPrograms: ProcessRole(arguments).runsPrograms)
guard platform_reserve_heap() else {
    _ = unsafe Descriptor.writeOnce(
        "taskvault: error: not enough memory\n".utf8Span.span.bytes, to: Descriptor.standardError)
    exit(1)
}
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(
    ClipboardKeeper.run(arguments.dropFirst())
        ?? Program(.ofProcess()).run(as: arguments.first ?? ""))
