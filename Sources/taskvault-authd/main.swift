import AuthServerCommands
import CommandSyntax
import SQLiteDatabase
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
// Introspections of several threads would wait for one another.
SQLiteProcess.forgoMemoryStatistics()
exit(ServerProgram(.ofProcess()).run())
