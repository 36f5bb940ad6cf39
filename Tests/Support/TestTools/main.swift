import Benchmarks
import Platform
import VaultAgent

// The programs that tests start, and the benchmark: TestTools TOOL [ARGUMENT...]. Without the name of a tool it is `taskvault` with software
// authenticators in the place of security keys.
let arguments = Array(ProcessArguments.texts.dropFirst(2))
switch ProcessArguments.texts.dropFirst().first {
case "benchmark": exit(Benchmarks.run(arguments))
case "calendar": CalendarTool.run(arguments)
case "clock":
    // What the clock of a session says, in seconds.
    print(SystemSessionClock().now.components.seconds)
case "http": HTTPTool.run(arguments)
case "memory": exit(MemoryTool.run(arguments))
case "sign-in": exit(SignInTool.run(arguments))
case "sign-in-on-page": exit(PageSignInTool.run(arguments))
case "write": try WriterTool.run(arguments)
default: exit(KeyTool.run())
}
