import AuthServerCommands
import SecretMemory
import Terminal

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

ProcessHardening.apply()
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
exit(ServerProgram(.ofProcess()).run())
