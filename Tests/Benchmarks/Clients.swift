import Platform
import SecureStorage
import Synchronization
import VaultAgent

/// Several clients of one agent at the same time.
enum Clients {
    /// How many reads a second an agent answers to so many clients together.
    static func rate(of count: Int, requests: Int, _ home: AgentHome) throws -> Double {
        let clients = try (0..<count).map { _ in try home.client() }
        let names = try (0..<1_000).map { try Sample.name($0 * 7 % home.itemCount) }
        let each = requests / count
        let failures = Atomic(0)
        let start = Clock.now
        let threads = clients.map { client in
            Thread {
                for number in 0..<each {
                    let isRead = (try? client.read(names[number % names.count]) { _, _ in }) != nil
                    if !isRead { failures.add(1, ordering: .relaxed) }
                }
            }
        }
        for thread in threads { thread.join() }
        let time = Clock.now - start
        guard failures.load(ordering: .relaxed) == 0 else {
            throw BenchmarkFailure("a client was refused")
        }
        return Double(each * count) / (time / 1e9)
    }
}

/// A thread that can be waited for.
@safe final class Thread {
    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    private var thread = pthread_t()

    init(_ body: @escaping () -> Void) {
        let work = unsafe Unmanaged.passRetained(Work(body))
        unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                }
                return nil
            }, work.toOpaque())
    }

    func join() { pthread_join(thread, nil) }
}
