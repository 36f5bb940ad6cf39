/// Program files, and the replacement of this process by another program.
package enum Executable {
    /// The path of an installed program; nil if it is missing.
    ///
    /// `PATH` is ignored, because a planted program in it would get secrets.
    package static func path(of name: String) -> String? {
        #if os(Linux)
            let folders = ["/usr/bin", "/usr/local/bin", "/run/current-system/sw/bin"]
        #else
            let folders = ["/opt/homebrew/bin", "/usr/local/bin", "/usr/bin"]
        #endif
        return folders.map { "\($0)/\(name)" }.first { FileSystem.exists($0) }
    }

    /// The path of this executable.
    ///
    /// - Throws: ``SystemFailure``.
    package static func own() throws -> String {
        #if os(Linux)
            return "/proc/self/exe"
        #else
            var size: UInt32 = 0
            _ = unsafe _NSGetExecutablePath(nil, &size)
            var path = [CChar](repeating: 0, count: Int(size))
            guard unsafe _NSGetExecutablePath(&path, &size) == 0 else {
                throw SystemFailure("_NSGetExecutablePath", code: ENAMETOOLONG)
            }
            return String(
                decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        #endif
    }

    /// Replaces this process by a program. Returns only on failure. `PATH` is searched if the name has no slash.
    ///
    /// The program inherits the environment, with some variables added or replaced. The system copies their values from the given memory.
    ///
    /// The corresponding C function is `execvpe`.
    ///
    /// - Parameters:
    ///   - words: The program, then its arguments.
    ///   - names: The names of the variables.
    ///   - entries: Each variable as `name=value` with a zero byte.
    /// - Returns: The error of the call.
    package static func become(
        _ words: [String], _ names: [String], _ entries: [UnsafeMutablePointer<CChar>]
    ) -> SystemFailure {
        let beginnings = names.map { $0 + "=" }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe []
        if let inherited = unsafe platform_environment() {
            var index = 0
            while let entry = unsafe inherited[index] {
                index += 1
                let isReplaced = beginnings.contains { beginning in
                    unsafe strncmp(entry, beginning, beginning.utf8.count) == 0
                }
                if !isReplaced { unsafe environment.append(entry) }
            }
        }
        unsafe environment.append(contentsOf: entries)
        unsafe environment.append(nil)
        return unsafe CStrings.with(words) { arguments in
            unsafe platform_execute(words.first ?? "", arguments, environment)
            return SystemFailure.last("exec")
        }
    }
}

/// Lists of C strings.
enum CStrings {
    /// Calls `body` with a list that ends with a null pointer. The list is valid only during the call.
    static func with<Result>(
        _ texts: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var list = unsafe texts.map { unsafe strdup($0) } + [nil]
        defer { for index in unsafe list.indices { unsafe free(list[index]) } }
        return unsafe list.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else {
                preconditionFailure("the list has its end")
            }
            return unsafe body(start)
        }
    }
}
