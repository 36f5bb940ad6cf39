internal import Synchronization

/// The limits of which files this process can open: Landlock, where the kernel has it (Linux 5.13).
package enum FileAccess {
    private static let limited = Atomic(false)

    /// Whether ``limit(changing:reading:)`` succeeded.
    package static var isLimited: Bool { limited.load(ordering: .acquiring) }

    /// Whether the kernel has such limits.
    package static var isAvailable: Bool {
        let rules = platform_file_rules()
        if rules >= 0 { close(rules) }
        return rules >= 0
    }

    /// Limits this process for good: opening any other file fails with `EACCES` then, as does running a program. Open descriptors stay.
    ///
    /// Call it before any other thread starts, since it holds for this thread and those that it starts. A folder that does not exist is
    /// left out, and one that is made later in its place has no rule. Folders can still be listed. The corresponding C functions are
    /// `landlock_create_ruleset`, `landlock_add_rule` and `landlock_restrict_self`.
    ///
    /// - Parameters:
    ///   - changed: Folders in which files can be made, changed, removed and read.
    ///   - read: Folders in which files can be read.
    /// - Returns: Whether the limits hold; false where the kernel has none.
    @discardableResult
    package static func limit(changing changed: [String], reading read: [String]) -> Bool {
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
