import CommandLine
import Platform
import SecretMemory
import TaskVaultCommands

ProcessHardening.apply()
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(ServicesProgram(.ofProcess()).run())
