public import TodoTasks
public import VaultStorage
public struct PostgreSQLAddress: Sendable {
    public let text: String; public init(_ t: String) { text = t }
}
public func PostgreSQLTaskRepository(_ a: PostgreSQLAddress) throws(TaskRepositoryError)
    -> MemoryTaskRepository
{ MemoryTaskRepository() }
public func SQLiteTaskRepository(path: String) throws(TaskRepositoryError) -> MemoryTaskRepository {
    MemoryTaskRepository()
}
extension TaskRepositoryError { public init(_ e: StorageError) { self = .closed } }
