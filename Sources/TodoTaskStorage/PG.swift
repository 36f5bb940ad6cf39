public import PostgreSQLDatabase
public import TodoTasks
public enum PostgreSQLTaskRepository {
    public static func open(_ a: PostgreSQLAddress) throws(TaskRepositoryError)
        -> MemoryTaskRepository
    { throw .unreachable(reason: "") }
}
