internal import Platform

// Run on purpose, in the release configuration: swift run -c release Benchmarks [--vault | --secrets | --services | --files | --tasks | --reminders | --app | --server | --sign-in] [--quick]
switch Array(CommandLine.arguments.dropFirst()) {
case []: exit(Benchmarks.run(.full))
case ["--quick"]: exit(Benchmarks.run(.quick))
case ["--vault"]: exit(Benchmarks.run(.full, [.vault]))
case ["--vault", "--quick"]: exit(Benchmarks.run(.quick, [.vault]))
case ["--secrets"]: exit(Benchmarks.run(.full, [.secrets]))
case ["--secrets", "--quick"]: exit(Benchmarks.run(.quick, [.secrets]))
case ["--services"]: exit(Benchmarks.run(.full, [.services]))
case ["--services", "--quick"]: exit(Benchmarks.run(.quick, [.services]))
case ["--files"]: exit(Benchmarks.run(.full, [.files]))
case ["--files", "--quick"]: exit(Benchmarks.run(.quick, [.files]))
case ["--tasks"]: exit(Benchmarks.run(.full, [.tasks]))
case ["--tasks", "--quick"]: exit(Benchmarks.run(.quick, [.tasks]))
case ["--reminders"]: exit(Benchmarks.run(.full, [.reminders]))
case ["--reminders", "--quick"]: exit(Benchmarks.run(.quick, [.reminders]))
case ["--app"]: exit(Benchmarks.run(.full, [.app]))
case ["--app", "--quick"]: exit(Benchmarks.run(.quick, [.app]))
case ["--server"]: exit(Benchmarks.run(.full, [.server]))
case ["--server", "--quick"]: exit(Benchmarks.run(.quick, [.server]))
case ["--sign-in"]: exit(Benchmarks.run(.full, [.signIn]))
case ["--sign-in", "--quick"]: exit(Benchmarks.run(.quick, [.signIn]))
case let arguments where arguments.first == BareServer.childArgument:
    exit(BareServer.runChild(Array(arguments.dropFirst())))
case let arguments where arguments.first == MemoryMeasurement.childArgument:
    exit(MemoryMeasurement.runChild(Array(arguments.dropFirst())))
default:
    print(
        "usage: Benchmarks [--vault | --secrets | --services | --files | --tasks | --reminders | --app | --server | --sign-in] [--quick]"
    )
    exit(2)
}
