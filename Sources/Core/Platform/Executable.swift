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

    /// The interpreter or loader that a program names and that is missing: `execvp` reports it as if the program were missing.
    ///
    /// - Parameter word: The program. As `execvp` does, searches `PATH` for a name without a slash.
    /// - Returns: The path of the program and that of the interpreter; nil if the program is missing too, or names none.
    package static func missingInterpreter(
        of word: String
    ) -> (program: String, interpreter: String)? {
        let folders = EnvironmentVariables.ofProcess()["PATH"] ?? "/bin:/usr/bin"
        let paths =
            word.utf8.contains(UInt8(ascii: "/"))
            ? [word]
            : folders.split(separator: ":", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? word : "\($0)/\(word)" }
        for path in paths where unsafe access(path, X_OK) == 0 {
            guard let interpreter = interpreter(of: path), unsafe access(interpreter, F_OK) != 0
            else { continue }
            return (path, interpreter)
        }
        return nil
    }

    /// The interpreter of a script (`#!`), or the loader of a 64-bit ELF file (elf(5), `PT_INTERP`).
    private static func interpreter(of path: String) -> String? {
        guard let bytes = FileSystem.beginning(of: path, count: 4_096) else { return nil }
        func text(_ bytes: some Collection<UInt8>) -> String? {
            let found = String(decoding: bytes, as: UTF8.self)
            return found.isEmpty ? nil : found
        }
        if bytes.starts(with: "#!".utf8) {
            let line = bytes.dropFirst(2).prefix { $0 != UInt8(ascii: "\n") }
            let blanks = " \t".utf8
            return text(line.drop { blanks.contains($0) }.prefix { !blanks.contains($0) })
        }
        func number(at offset: Int, _ size: Int) -> Int? {
            guard offset >= 0, offset <= bytes.count - size else { return nil }
            return bytes[offset..<offset + size].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        // 64-bit and little-endian.
        guard bytes.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]),
            let table = number(at: 32, 4), let size = number(at: 54, 2),
            let rows = number(at: 56, 2)
        else { return nil }
        for row in 0..<rows where number(at: table + row * size, 4) == 3 {
            guard let start = number(at: table + row * size + 8, 4), start < bytes.count
            else { break }
            return text(bytes[start...].prefix { $0 != 0 })
        }
        return nil
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
