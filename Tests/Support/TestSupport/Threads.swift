/// Runs `body` with 0, 1, … on as many threads, and waits for all.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) async {
    await withTaskGroup(of: Void.self) { group in
        for number in 0..<count { group.addTask { @concurrent in body(number) } }
    }
}
