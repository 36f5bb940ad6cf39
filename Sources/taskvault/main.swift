import CommandLine
import Platform
import SecretMemory
import TaskVaultCommands

// Only this command runs a program that the owner chose, the reminder-command.
ProcessHardening.apply(hasMailer: Swift.CommandLine.arguments.dropFirst().first == "remind")
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(Program(.ofProcess()).run())
