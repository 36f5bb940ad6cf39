#if os(Linux)
    internal import SecureStorage
    internal import Services
    internal import Tasks
    internal import VaultCore

    /// Measurements that must take as much work among 100,000 items or tasks as among 100, in instructions: other programs do not change their number.
    enum GrowthMeasurement {
        static let childArgument = "--growth-counts"

        fileprivate enum Operation: String, CaseIterable {
            case firstRead = "first read after opening"
            case read
            case search = "search of a word"
            case lookup = "search by a program"
            case list = "list, for each item"
            case save
            case page = "first page of tasks"
            case add = "task added"
            case finish = "task done"
            /// Shows that the counter notices growth.
            case control = "count of the open tasks"

            /// The most that it may take, compared with 100.
            var aim: Double? {
                switch self {
                // Verifies one of 256 buckets.
                case .firstRead: 20
                // Compares texts in memory.
                case .search: 100
                case .control: nil
                default: 1.5
                }
            }
        }

        static func run(in folder: ScratchFolder, into table: inout Table) throws {
            let counter = InstructionCounter.ofProcessor
            print("instructions are counted by \(counter == nil ? "callgrind" : "the processor")")
            let small = try counts(of: Vaults.smallCount, counter, in: folder)
            let large = try counts(of: Benchmarks.largeCount, counter, in: folder)
            for (operation, count) in zip(Operation.allCases, zip(large, small)) {
                let ratio = count.0 / count.1
                table.add(
                    operation.rawValue + ", 100,000", .count(Int(count.0)),
                    against: "the same of 100", .count(Int(count.1)), ratio: ratio,
                    aim: operation.aim)
                if operation == .control, ratio < 10 {
                    throw BenchmarkFailure("the counter does not notice growth: \(ratio)")
                }
            }
        }

        /// Makes a vault and a list of this size, and counts each operation there: in this process, or in one that callgrind runs.
        private static func counts(
            of count: Int, _ counter: InstructionCounter?, in folder: ScratchFolder
        ) throws -> [Double] {
            let vault = try BenchmarkVault("growth-\(count).db", in: folder)
            _ = try vault.timeFilling(upTo: count)
            let tasks = try TaskFile(folder.path(of: "growth-\(count)-tasks.db"), count: count)
            var shuffle = Shuffle()
            try tasks.list.insert(TaskSample.tasks(0..<count, using: &shuffle))
            tasks.close()
            if let counter {
                return try CountedOperations(counter, vault.path, tasks.path, count).counts()
            }
            // valgrind cannot read what Swift writes for debuggers.
            let program = folder.path(of: "growth-\(count)")
            let output = try Child.output(
                of: """
                    strip --strip-debug -o '\(program)' '\(CommandLine.arguments[0])' &&
                    valgrind --quiet --tool=callgrind --instr-atstart=no --callgrind-out-file='\(program).sum' \
                    '\(program)' benchmark \(childArgument) '\(program).sum' '\(vault.path)' '\(tasks.path)' \(count)
                    """)
            let counts = output.split(separator: "\n").compactMap { Double($0) }
            guard counts.count == Operation.allCases.count else {
                throw BenchmarkFailure("callgrind said \(output)")
            }
            return counts
        }

        /// Prints the counts of files that another process made.
        static func runChild(_ arguments: [String]) -> Int32 {
            do {
                guard arguments.count == 4, let count = Int(arguments[3]),
                    let counter = InstructionCounter.ofCallgrind(arguments[0])
                else { throw BenchmarkFailure("needs callgrind, on x86-64") }
                ProductConnection.watch()
                let operations = try CountedOperations(counter, arguments[1], arguments[2], count)
                for count in try operations.counts() { print(count) }
                return 0
            } catch {
                print("failed: \(error)")
                return 1
            }
        }
    }

    /// The operations in an open vault and an open list.
    private final class CountedOperations {
        private let counter: InstructionCounter
        private let vault: BenchmarkVault
        private let open: OpenVault
        private let tasks: TaskFile
        private var added: [TodoTask] = []

        init(_ counter: InstructionCounter, _ vault: String, _ tasks: String, _ count: Int) throws {
            self.counter = counter
            self.vault = try BenchmarkVault(at: vault, itemCount: count)
            open = try self.vault.open()
            self.tasks = try TaskFile(tasks, count: count)
        }

        func counts() throws -> [Double] {
            defer {
                open.close()
                tasks.close()
            }
            return try GrowthMeasurement.Operation.allCases.map(count)
        }

        private func count(_ operation: GrowthMeasurement.Operation) throws -> Double {
            let name = try Sample.name(0)
            switch operation {
            case .firstRead:
                return try vault.withOpen { open in
                    try counter.instructions { try require(open.reads(name)) }
                }
            case .read:
                return try each { _ in try require(open.reads(name)) }
            case .search:
                return try each { _ in
                    let found = try open.vault.find(.part(name.service), limit: 21)
                    try require(found.count == 1)
                }
            case .lookup:
                var index = try AttributeIndex()
                for number in 0..<vault.itemCount {
                    index.set(
                        SecretItemID(randomIn: .login),
                        ["service": "s\(number)", "account": "ada"], modified: Int64(number))
                }
                return try each { number in
                    let found = index.search(["service": "s\(number)", "account": "ada"])
                    try require(found.count == 1)
                }
            case .list:
                return try each(of: 1) { _ in
                    var items = 0
                    try open.vault.forEachEncoded { _ in items += 1 }
                    try require(items == vault.itemCount)
                } / Double(vault.itemCount)
            case .save:
                return try each { _ = try Saver.timeSave(open, vault.itemCount + $0) }
            case .page:
                let page = TaskSelection(
                    TaskFilter(start: .by(TaskSample.moment)), by: .due, limit: 50)
                return try each { _ in try require(tasks.list.tasks(page).count == 50) }
            case .add:
                return try each {
                    added.append(try tasks.list.add(TaskSample.task(1_000_000 + $0)))
                }
            case .finish:
                let calendar = SystemCalendar()
                return try each { _ = try tasks.list.finish([added[$0]], in: calendar) }
            case .control:
                return try each { _ in try require(tasks.list.count(TaskFilter(.open)) > 0) }
            }
        }

        /// Counts one of so many operations, after as many that fill the caches.
        private func each(of rounds: Int = 10, _ body: (Int) throws -> Void) throws -> Double {
            for number in 0..<rounds { try body(number) }
            return try counter.instructions(per: rounds) {
                for number in rounds..<(2 * rounds) { try body(number) }
            }
        }

        private func require(_ isRight: Bool) throws {
            guard isRight else { throw BenchmarkFailure("a wrong answer") }
        }
    }
#endif
