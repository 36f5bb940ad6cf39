import AuthServer
import CommandLine
import Database
import Platform
import SecretMemory

ProcessHardening.apply()
Descriptor.ignoreWriteSignals()
Descriptor.fillStandardDescriptors()
// With the statistics, introspections of several threads would wait for one another.
SQLiteLibrary.disableMemoryStatistics()
exit(ServerProgram(.ofProcess()).run())
