import CommandLine
import LocalApp
import Platform
import SecretMemory
import TaskVaultCommands

// Its copies are the agent and the keeper of the clipboard, which are the same as those of taskvault.
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
