import CommandLine
import LocalApp
import Platform
import SecretMemory
import TaskVaultCommands

// The program also runs as the agent and as the keeper of the clipboard, like taskvault.
let words = Swift.CommandLine.arguments.dropFirst()
let isAgent = words.first == "agent"
guard !isAgent || platform_reserve_heap() else { exit(1) }
ProcessHardening.apply()
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(
    ClipboardKeeper.run(words)
        ?? (isAgent
            ? Program(.ofProcess()).run(as: "taskvault")
            : LocalAppProgram(
                .ofProcess(), runner: { CommandRunner($0, home: $1) }
            ).run()))
