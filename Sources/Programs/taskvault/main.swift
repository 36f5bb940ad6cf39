import CommandLine
import Platform
import SecretMemory
import TaskVaultCommands

guard platform_reserve_heap() else {
    _ = unsafe Descriptor.writeOnce(
        "taskvault: error: not enough memory\n".utf8Span.span.bytes, to: Descriptor.standardError)
    exit(1)
}
let name = Swift.CommandLine.arguments.first ?? ""
// Only these commands run a program that the owner chose, such as a browser with a sandbox of its own.
let words = Swift.CommandLine.arguments.dropFirst().prefix { $0 != "--" }
ProcessHardening.apply(
    runsPrograms: words.first == "remind" || words.contains("run") || words.contains("app"))
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(ClipboardKeeper.run(words) ?? Program(.ofProcess()).run(as: name))
