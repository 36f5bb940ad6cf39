#if os(Linux)
    import Foundation
    import Database
    import TestSupport
    import Testing
    @testable import Tasks

    @Suite(
        "The tasks' tables on a server",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct PostgreSQLTaskTests {
        /// Runs `body` with a database that has tasks, and a connection to it.
        private func withTasks(
            _ body: (PostgreSQLAddress, TaskRepository, PostgreSQLConnection) throws -> Void
        ) throws {
            try withPostgreSQLDatabase { text in
                let address = try PostgreSQLAddress(text)
                let repository = try TaskRepository.openOrCreate(.server(address))
                defer { repository.close() }
                try repository.insert([
                    TaskSamples.plain(1, "one", TaskSamples.subtasks("x", "y")),
                    TaskSamples.protected(2),
                ])
                try body(address, repository, try PostgreSQLConnection(to: address))
            }
        }

        private func openError(_ address: PostgreSQLAddress) -> DatabaseError? {
            taskError { try TaskRepository.openOrCreate(.server(address)).close() }
        }

        @Test("are refused without their version, and left alone")
        func noVersion() throws {
            try withTasks { address, _, server in
                try server.run(script: "DROP TABLE taskvault_tasks.version")
                #expect(
                    openError(address)
                        == .foreign(reason: "the tables are not those of a task list"))
                let count = try server.rows(
                    once: "SELECT count(*) FROM taskvault_tasks.tasks"
                ).first?.integer(0)
                #expect(count == 2)
            }
        }

        @Test("of a newer program are left alone")
        func newer() throws {
            try withTasks { address, repository, server in
                try server.run(script: "UPDATE taskvault_tasks.version SET version = 7")
                #expect(openError(address) == .newerVersion(7))
                #expect(
                    taskError { try repository.insert([TaskSamples.plain(3)]) } == .newerVersion(7))
            }
        }

        @Test("of an earlier build are named, and not ignored")
        func earlier() throws {
            try withPostgreSQLDatabase { text in
                let address = try PostgreSQLAddress(text)
                let server = try PostgreSQLConnection(to: address)
                defer { server.close() }
                try server.run(
                    script: """
                        CREATE SCHEMA taskvault;
                        CREATE TABLE taskvault.task_version (version bigint)
                        """)
                #expect(openError(address) == .earlierBuild(schema: "taskvault"))
                let missing = taskError { _ = try TaskRepository.open(.server(address)) }
                #expect(missing == .earlierBuild(schema: "taskvault"))
            }
        }

        @Test("put back, or gone, are refused to a machine that saw more")
        func older() throws {
            try withTasks { address, repository, server in
                let seen = SeenInMemory()
                let other = try TaskRepository.openOrCreate(.server(address), after: seen)
                defer { other.close() }
                try other.insert([TaskSamples.plain(3)])
                #expect(seen.head?.number == 2)
                // Another machine goes on, also without a record.
                try repository.insert([TaskSamples.plain(4)])
                try other.insert([TaskSamples.plain(5)])
                #expect(seen.head?.number == 4)
                try server.run(script: "DELETE FROM taskvault_tasks.commits WHERE number > 3")
                #expect(throws: TaskListError.rolledBack(found: 3, seen: 4)) {
                    try other.insert([TaskSamples.plain(6)])
                }
                #expect(throws: TaskListError.rolledBack(found: 3, seen: 4)) {
                    try TaskRepository.openOrCreate(.server(address), after: seen).close()
                }
                try server.run(script: "INSERT INTO taskvault_tasks.commits VALUES (4, 4)")
                #expect(throws: TaskListError.forked(seen: 4)) {
                    try TaskRepository.openOrCreate(.server(address), after: seen).close()
                }
                try server.run(script: "DROP SCHEMA taskvault_tasks CASCADE")
                #expect(throws: TaskListError.rolledBack(found: 0, seen: 4)) {
                    try TaskRepository.openOrCreate(.server(address), after: seen).close()
                }
                seen.rule = .accepting
                try TaskRepository.openOrCreate(.server(address), after: seen).close()
                #expect(seen.head?.number == 0)
            }
        }

        @Test("of the version before get the table of changes")
        func migration() throws {
            try withTasks { address, repository, server in
                repository.close()
                try server.run(
                    script:
                        "DROP TABLE taskvault_tasks.commits; DROP INDEX taskvault_tasks.changes_with_text; UPDATE taskvault_tasks.version SET version = 2"
                )
                let seen = SeenInMemory()
                let later = try TaskRepository.openOrCreate(.server(address), after: seen)
                defer { later.close() }
                #expect(try later.everything().count == 2)
                try later.insert([TaskSamples.plain(3)])
                #expect(seen.head?.number == 1)
            }
        }

        @Test("larger than the largest answer are read page by page")
        func large() throws {
            try withTasks { _, repository, server in
                try server.run(
                    script: """
                        SET search_path = taskvault_tasks;
                        DELETE FROM tasks;
                        DELETE FROM subtasks;
                        INSERT INTO tasks (id, revision, created, due, priority, tags, depends, name,
                                name_key, notes, further, state)
                            SELECT lpad(n::text, 6, '0'), 1, n, n % 3 * 2, 0, '', '', 'name', '\\x00',
                                repeat('a',
                                    CASE WHEN n % 15 = 0 THEN 262144 ELSE n % 2100 END), 'f', 0
                            FROM generate_series(1, 10000) AS n;
                        INSERT INTO subtasks
                            SELECT id, n, '000001', repeat('b', 100), n % 2
                            FROM tasks, generate_series(1, 200) AS n WHERE created % 100 = 0;
                        """)
                let tasks = try repository.tasks(TaskSelection(by: .created))
                let numbers = tasks.map { Int($0.created.milliseconds) }
                #expect(numbers == (1...10_000).reversed())
                let areWhole = tasks.allSatisfy { task in
                    let number = Int(task.created.milliseconds)
                    return task.plainText?.further == "f"
                        && task.plainText?.notes.utf8.count
                            == (number % 15 == 0 ? 262_144 : number % 2_100)
                        && task.plainText?.subtasks.count == (number % 100 == 0 ? 200 : 0)
                }
                #expect(areWhole)
                let first = try repository.tasks(TaskSelection(by: .due, limit: 8_200))
                let expected = tasks.sorted {
                    ($0.due?.moment ?? $0.created, $0.id) < ($1.due?.moment ?? $1.created, $1.id)
                }
                #expect(first == Array(expected.prefix(8_200)))
            }
        }

        @Test("can be in one database with a vault")
        func besideVault() throws {
            try withTasks { address, repository, server in
                try server.run(
                    script:
                        "CREATE SCHEMA taskvault_vault; CREATE TABLE taskvault_vault.items (a text)"
                )
                #expect(openError(address) == nil)
                let count = try repository.everything().count
                #expect(count == 2)
            }
        }

        @Test(
            "with rows that this program never writes are damaged",
            arguments: [
                "UPDATE taskvault_tasks.tasks SET id = 'ABCDEF' WHERE text_id IS NULL",
                "UPDATE taskvault_tasks.tasks SET revision = 0",
                "UPDATE taskvault_tasks.tasks SET revision = -5",
                "UPDATE taskvault_tasks.tasks SET text_id = 'no such id' WHERE name IS NULL",
                "UPDATE taskvault_tasks.subtasks SET id = 'x'",
                """
                INSERT INTO taskvault_tasks.subtasks
                    SELECT id, 0, '000001', 'a name beside a protected task', 0
                    FROM taskvault_tasks.tasks WHERE name IS NULL
                """,
            ])
        func damaged(script: String) throws {
            try withTasks { _, repository, server in
                try server.run(script: script)
                let error = taskError { _ = try repository.tasks(TaskSelection()) }
                #expect(error == .damaged(reason: "a row is not that of a task"))
            }
        }

        @Test("are refused in a database with another encoding than UTF-8")
        func encoding() throws {
            let server = try PostgreSQLServer.shared.get()
            let administrator = try PostgreSQLConnection(to: PostgreSQLAddress(server.address()))
            let name = "latin_" + String(UInt64.random(in: .min ... .max), radix: 36)
            try administrator.run(
                script: "CREATE DATABASE \(name) TEMPLATE template0 ENCODING 'LATIN1'")
            defer { _ = try? administrator.run(script: "DROP DATABASE \(name) WITH (FORCE)") }
            let address = try PostgreSQLAddress(server.address(of: name))
            #expect(openError(address) == .foreign(reason: "the database's encoding is not UTF8"))
        }

        @Test("keep long lists, with all subtasks")
        func longList() throws {
            try withPostgreSQLDatabase { text in
                let repository = try TaskRepository.openOrCreate(.server(PostgreSQLAddress(text)))
                defer { repository.close() }
                let tasks = (0..<450).map { number in
                    TaskSamples.plain(
                        number, "name \(number)",
                        TaskSamples.subtasks(
                            contentsOf: number % 3 == 0
                                ? ["12 abcdef 1 x", "żółć \u{1}\n", "\(number)"] : []))
                }
                try repository.insert(tasks)
                let found = try repository.tasks(TaskSelection(by: .created))
                #expect(
                    Set(found.map { ExactTask($0) }) == Set(tasks.map { ExactTask($0) }))
                #expect(found.count == 450)
            }
        }

        @Test("that are gone, or a server that is gone, are an error and not an empty list")
        func gone() throws {
            let server = try PostgreSQLServer()
            let repository = try TaskRepository.openOrCreate(
                .server(PostgreSQLAddress(server.address())))
            defer { repository.close() }
            try repository.insert([TaskSamples.plain(1)])
            kill(server.process, SIGKILL)
            let error = taskError {
                while true { _ = try repository.tasks(TaskSelection()) }
            }
            #expect(
                error == .unreachable(reason: "the connection was lost")
                    || error == .unreachable(reason: "cannot connect to the server"))
            try server.restart()
            let count = try repository.everything().count
            #expect(count == 1)
        }

        @Test("change wholly or not at all when the server is killed")
        func killed() throws {
            let server = try PostgreSQLServer()
            let repository = try TaskRepository.openOrCreate(
                .server(PostgreSQLAddress(server.address())))
            defer { repository.close() }
            try repository.insert([TaskSamples.plain(1, "one")])
            let error = taskError {
                try repository.change { writer in
                    try writer.replace(TaskSamples.plain(1, "changed"))
                    kill(server.process, SIGKILL)
                    while true { try writer.put(VaultIntent(.saving, TaskSamples.textID(3))) }
                }
            }
            #expect(error == .unreachable(reason: "the connection was lost"))
            try server.restart()
            #expect(try repository.task(TaskSamples.id(1))?.plainText?.name == "one")
            #expect(try repository.intents() == [])
        }
    }

    @Suite(
        "A change of tasks that loses its connection",
        .enabled(if: PostgreSQLServer.isWanted, "\(PostgreSQLServer.reason)"))
    struct LostTaskChangeTests {
        /// A repository through a proxy, one past it, and the proxy.
        private func with(
            timeout: Duration = .seconds(30),
            _ body: (TaskRepository, TaskRepository, PostgreSQLProxy) throws -> Void
        ) throws {
            try withPostgreSQLProxy { direct, through, proxy in
                let direct = try TaskRepository.openOrCreate(.server(PostgreSQLAddress(direct)))
                let repository = try TaskRepository.openOrCreate(
                    .server(PostgreSQLAddress(through)), DatabaseOptions(timeout: timeout))
                defer {
                    repository.close()
                    direct.close()
                }
                try body(repository, direct, proxy)
            }
        }

        private func change(_ repository: TaskRepository) -> DatabaseError? {
            taskError { try repository.insert([TaskSamples.plain(1)]) }
        }

        @Test("is known to be committed, also after changes of others")
        func committed() throws {
            try with { repository, direct, proxy in
                proxy.set(.cutAfterCommit) { try? direct.insert([TaskSamples.plain(2)]) }
                let error = change(repository)
                #expect(error == nil)
                let count = try direct.everything().count
                #expect(count == 2)
            }
        }

        @Test("is known not to be committed, also after changes of others")
        func uncommitted() throws {
            try with { repository, direct, proxy in
                proxy.set(.cutBeforeCommit) { try? direct.insert([TaskSamples.plain(2)]) }
                let error = change(repository)
                #expect(error == .unreachable(reason: "the connection was lost"))
                let count = try direct.everything().count
                #expect(count == 1)
                #expect(change(repository) == nil)
            }
        }

        @Test("has an unknown outcome if the server cannot be asked")
        func unknown() throws {
            try with(timeout: .seconds(10)) { repository, direct, proxy in
                proxy.set(.cutAfterCommitForGood)
                #expect(change(repository) == .outcomeUnknown)
                let count = try direct.everything().count
                #expect(count == 1)
            }
        }
    }
#endif
