#if os(Linux)
    /// Detects changes of files by watching their folders. Not thread-safe.
    ///
    /// A missing folder is watched from its creation on. The corresponding C functions are `inotify_add_watch` and `read`.
    package final class FileWatch {
        /// Becomes readable after a change.
        package let descriptor: Int32
        private let paths: [String]
        private let events: UInt32
        /// The names of the watched files, by the watch of their folder.
        private var names: [Int32: Set<String>] = [:]
        /// The names of missing folders, by the watch of their parent folder.
        private var missing: [Int32: Set<String>] = [:]

        // Opening and closing are no change: this process opens the database too, and SQLite then creates and removes files.
        private static let changes = UInt32(
            IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR
                | IN_MASK_ADD)
        private static let signals = UInt32(
            IN_ATTRIB | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD)
        private static let arrivals = UInt32(
            IN_CREATE | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_MASK_ADD)

        /// Watches files by absolute paths.
        ///
        /// - Parameters:
        ///   - paths: The files. One that ends with a slash is a folder: what appears, changes or vanishes in it is a change, except names that
        ///     begin with a dot, as those of files that are not complete.
        ///   - onlySignals: Whether to detect only ``FileSystem/touch(_:)`` and the replacement of a file, not each change.
        /// - Throws: `SystemFailure`, such as `EMFILE` or `ENOSPC` at the system's limit of watches.
        package init(_ paths: [String], onlySignals: Bool = false) throws {
            self.paths = paths
            events = onlySignals ? Self.signals : Self.changes
            descriptor = platform_folder_watch()
            guard descriptor >= 0 else { throw SystemFailure.last("inotify_init1") }
            // From here on the object is complete, so its `deinit` closes the descriptor after an error.
            try watch()
        }

        deinit {
            close(descriptor)
        }

        /// Watches the folder of each file, or the nearest existing folder above it.
        private func watch() throws {
            for number in Set(names.keys).union(missing.keys) {
                inotify_rm_watch(descriptor, number)
            }
            names = [:]
            missing = [:]
            for path in paths {
                var (folder, name) = SafeFolder.split(path)
                let events = name.isEmpty ? events | UInt32(IN_CREATE) : events
                var number = unsafe inotify_add_watch(descriptor, folder, events)
                if number >= 0 {
                    names[number, default: []].insert(name)
                    continue
                }
                while number < 0, errno == ENOENT || errno == ENOTDIR, folder != "/" {
                    (folder, name) = SafeFolder.split(folder)
                    number = unsafe inotify_add_watch(descriptor, folder, Self.arrivals)
                }
                guard number >= 0 else { throw SystemFailure.last("inotify_add_watch") }
                missing[number, default: []].insert(name)
                // The file was created before the watch, so there is no event.
                if FileSystem.exists(folder == "/" ? "/" + name : folder + "/" + name) {
                    return try watch()
                }
            }
        }

        /// Reads the events since the last call.
        ///
        /// - Returns: Whether one of the files may have changed.
        package func readEvents() throws -> Bool {
            var buffer = [UInt8](repeating: 0, count: 16_384)
            var isChanged = false
            var isElsewhere = false
            while true {
                let count = unsafe read(descriptor, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                unsafe buffer.withUnsafeBytes { bytes in
                    var offset = 0
                    while offset + MemoryLayout<inotify_event>.size <= count {
                        let event = unsafe bytes.loadUnaligned(
                            fromByteOffset: offset, as: inotify_event.self)
                        offset += MemoryLayout<inotify_event>.size
                        let name = unsafe String(
                            decoding: bytes[offset..<min(offset + Int(event.len), count)]
                                .prefix { $0 != 0 }, as: UTF8.self)
                        offset += Int(event.len)
                        let gone = IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT
                        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 {
                            isChanged = true
                        } else if event.mask & UInt32(gone) != 0 {
                            isElsewhere = true
                        } else if let watched = names[event.wd],
                            watched.contains(name) || watched.contains("") && !name.hasPrefix(".")
                        {
                            isChanged = true
                        } else if missing[event.wd]?.contains(name) == true {
                            isElsewhere = true
                        }
                    }
                }
            }
            if isElsewhere { try watch() }
            return isChanged || isElsewhere
        }
    }
#endif
