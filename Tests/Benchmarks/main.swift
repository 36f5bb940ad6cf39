internal import Glibc

// Run on purpose, in the release configuration: swift run -c release Benchmarks [--quick]
switch Array(CommandLine.arguments.dropFirst()) {
case []: exit(Benchmarks.run(.full))
case ["--quick"]: exit(Benchmarks.run(.quick))
case let arguments where arguments.first == MemoryMeasurement.childArgument:
    exit(MemoryMeasurement.runChild(Array(arguments.dropFirst())))
default:
    print("usage: Benchmarks [--quick]")
    exit(2)
}
