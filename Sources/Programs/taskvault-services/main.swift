import CommandLine
import Platform
import SecretMemory
import ServicesProgram

// It runs the reminder-command, and holds a key of the inbox for the time of one message only.
ProcessHardening.apply(runsPrograms: true)
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(ServicesProgram(.ofProcess()).run())
