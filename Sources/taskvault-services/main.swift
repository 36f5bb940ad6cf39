import CommandLine
import Platform
import SecretMemory
import TaskVaultCommands

// It runs the reminder-command, and holds no key.
ProcessHardening.apply(runsPrograms: true)
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(ServicesProgram(.ofProcess()).run())
