import Glibc

// MemoryProbe [copy]: exits with 0 if no secret of a vault stays in memory, with 1 if one does, with 77 if it cannot tell.
// `copy` makes a mistake on purpose, which must be found.
do {
    guard var probe = Probe(mistake: CommandLine.arguments.dropFirst().first ?? "") else {
        print("not run: the system does not show a process its own memory")
        exit(77)
    }
    let code = try probe.run()
    if code == 77 { print("not run: the memory is a sanitizer's") }
    exit(code)
} catch {
    print("failed: \(error)")
    exit(2)
}
