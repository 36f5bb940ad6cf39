import CommandSyntax
import SecretMemory
import TaskVaultCommands
import Terminal

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

ProcessHardening.apply()
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(Program(.ofProcess()).run())
