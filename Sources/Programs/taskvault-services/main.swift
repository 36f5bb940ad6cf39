import CommandLine
import Platform
import SecretMemory
import ServicesProgram

// The program runs the reminder-command. It holds a key of the inbox only while it processes one message.
ProcessHardening.apply(runsPrograms: true)
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(ServicesProgram(.ofProcess()).run())
