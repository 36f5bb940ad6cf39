internal import Database
internal import Tasks

/// A file of tasks that is open.
@safe final class TaskFile {
    let path: String
    let count: Int
    let repository: TaskRepository
    let list: TaskList
    /// The connection that the product opened, for asking it for its settings.
    let connection: OpaquePointer

    /// Opens a file, and makes it first where there is none.
    init(_ path: String, count: Int) throws {
        self.path = path
        self.count = count
        repository = try TaskRepository.openOrCreate(.file(path))
        unsafe connection = unsafe try ProductConnection.newest()
        list = TaskList(repository, on: "a machine", now: { TaskSample.now })
    }

    func close() {
        repository.close()
    }
}

/// The files of tasks that the measurements share: one of 100 and one of 100,000, closed.
struct TaskFiles {
    let small: String
    let large: String

    static let smallCount = 100

    func openSmall() throws -> TaskFile { try TaskFile(small, count: Self.smallCount) }
    func openLarge() throws -> TaskFile { try TaskFile(large, count: Benchmarks.largeCount) }
}
