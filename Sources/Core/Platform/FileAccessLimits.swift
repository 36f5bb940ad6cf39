internal import Synchronization

/// Limits the files that this process can open, by Landlock (Linux 5.13).
package enum FileAccessLimits {
    private static let limited = Atomic(false)

    /// Whether ``apply(changing:reading:)`` succeeded.
    package static var areApplied: Bool { limited.load(ordering: .acquiring) }

    /// Whether the kernel supports such limits.
    package static var areAvailable: Bool {
        let rules = platform_file_rules()
        if rules >= 0 { close(rules) }
        return rules >= 0
    }

    /// Limits this process permanently. Opening any other file, and running a program, then fails with `EACCES`. Open descriptors stay
    /// usable.
    ///
    /// Call it before any other thread starts: the limits hold for this thread and the threads that it starts. A folder that does not exist
    /// is skipped, and gets no rule if it is created later. Folders can still be listed. The corresponding C functions are
    /// `landlock_create_ruleset`, `landlock_add_rule` and `landlock_restrict_self`.
    ///
    /// - Parameters:
    ///   - changed: Folders in which files may be created, changed, removed and read.
    ///   - read: Folders in which files may be read.
    /// - Returns: Whether the limits are in force; false if the kernel has none.
    @discardableResult
    package static func apply(changing changed: [String], reading read: [String]) -> Bool {
        let rules = platform_file_rules()
        guard rules >= 0 else { return false }
        defer { close(rules) }
        for (folders, allowsChanges) in [(changed, 1 as Int32), (read, 0)] {
            for folder in folders {
                let code = unsafe platform_file_rules_add(rules, folder, allowsChanges)
                guard [0, ENOENT, ENOTDIR, EACCES].contains(code) else { return false }
            }
        }
        guard platform_file_rules_apply(rules) == 0 else { return false }
        limited.store(true, ordering: .releasing)
        return true
    }
}
