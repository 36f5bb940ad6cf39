internal import CommandLine
internal import Platform

/// What somebody does who can read all files: looks for words in them.
enum TourSearch {
    /// A file that was read.
    struct File {
        /// Its path inside of the folder.
        let name: String
        /// All that is in it.
        let bytes: [UInt8]

        /// Whether words are in it, as UTF-8.
        func holds(_ words: String) -> Bool {
            let wanted = Array(words.utf8)
            guard wanted.count <= bytes.count else { return false }
            return (0...(bytes.count - wanted.count)).contains { start in
                bytes[start..<(start + wanted.count)].elementsEqual(wanted)
            }
        }
    }

    /// Reads the files in a folder and the folders in it; sockets and the like are passed over.
    static func files(in folder: String, under prefix: String = "") throws(SystemFailure) -> [File]
    {
        var files: [File] = []
        for name in try FileSystem.names(in: folder) {
            let path = folder + "/" + name
            var status = stat()
            guard unsafe lstat(path, &status) == 0 else {
                throw SystemFailure("lstat", code: errno)
            }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: files += try self.files(in: path, under: prefix + name + "/")
            case S_IFREG: files.append(File(name: prefix + name, bytes: try read(path)))
            default: continue
            }
        }
        return files
    }

    private static func read(_ path: String) throws(SystemFailure) -> [UInt8] {
        let descriptor = unsafe platform_open(path, O_RDONLY | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw SystemFailure("open", code: errno) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe pread(descriptor, &part, part.count, off_t(bytes.count))
            guard count >= 0 else { throw SystemFailure("pread", code: errno) }
            if count == 0 { return bytes }
            bytes += part.prefix(count)
        }
    }
}
