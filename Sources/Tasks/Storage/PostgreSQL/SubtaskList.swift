/// Subtasks as a query gives them in one text: of each the size of its name in bytes, its id, whether it was done, and its name, with a blank
/// between.
enum SubtaskList {
    /// Reads them; nil for anything else.
    static func decode(_ text: String) -> [TodoSubtask]? {
        var rest = Array(text.utf8)[...]
        var subtasks: [TodoSubtask] = []
        while !rest.isEmpty {
            guard let size = field(&rest).flatMap({ Int($0) }), size >= 0,
                let id = field(&rest).flatMap({ TaskRow.id(Array($0.utf8)) }),
                let done = field(&rest).flatMap({ Int64($0) }), rest.count >= size,
                let name = String(validating: rest.prefix(size), as: UTF8.self)
            else { return nil }
            rest = rest.dropFirst(size)
            subtasks.append(TodoSubtask(id: id, name: name, isDone: done != 0))
        }
        return subtasks
    }

    /// Takes what comes before the next blank.
    private static func field(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard let end = rest.firstIndex(of: 0x20) else { return nil }
        defer { rest = rest[(end + 1)...] }
        return String(validating: rest[..<end], as: UTF8.self)
    }
}
