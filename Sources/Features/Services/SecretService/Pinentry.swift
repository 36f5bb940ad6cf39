#if os(Linux)
    internal import Platform
    internal import SecretMemory
    internal import TextCoding

    /// A connection to `pinentry`, which asks for the passphrase in a window or at a terminal
    /// (Assuan protocol).
    ///
    /// Each function blocks. Not thread-safe.
    final class Pinentry {
        /// The process, which leads its process group.
        let process: ChildProcess
        private let input: SystemPipe
        private let output: SystemPipe

        /// The code of the last error response.
        private var errorCode: UInt32 = 0

        /// The maximum size of a line, in bytes.
        private static let maximumLineSize = 4_096
        /// `GPG_ERR_CANCELED` of libgpg-error: the person cancelled. All other codes are failures.
        private static let cancelled: UInt32 = 99

        /// Starts `pinentry`.
        ///
        /// - Parameters:
        ///   - path: The program.
        ///   - terminal: The terminal for the dialog; nil for a window.
        /// - Throws: `SystemFailure`.
        init(_ path: String, on terminal: String?) throws {
            input = try SystemPipe()
            output = try SystemPipe()
            process = try ChildProcess.start(
                [path], input: input.reader, output: output.writer)
            input.closeReader()
            output.closeWriter()
            _ = try readLine()
            if let terminal { _ = try send("OPTION ttyname=\(terminal)") }
            _ = try send("SETTITLE TaskVault")
            _ = try send("SETPROMPT Passphrase")
        }

        deinit {
            input.closeWriter()
            kill(-process.id, SIGTERM)
            process.wait(atMost: .seconds(2))
        }

        /// Asks for a passphrase.
        ///
        /// - Parameters:
        ///   - reason: The reason shown to the user, one line.
        ///   - error: The error of the previous attempt.
        /// - Returns: The passphrase; nil if the user cancels.
        /// - Throws: `SystemFailure`: `pinentry` has ended or failed, for example without a window.
        func passphrase(for reason: String, after error: String?) throws -> SecretBytes? {
            _ = try send("SETDESC \(Self.escape(reason))")
            if let error { _ = try send("SETERROR \(Self.escape(error))") }
            if let typed = try send("GETPIN") { return typed }
            guard errorCode == Self.cancelled else { throw SystemFailure("pinentry", code: EIO) }
            return nil
        }

        /// Sends a command and reads the response.
        ///
        /// - Returns: The data of the response, possibly empty; nil for an error response.
        private func send(_ command: String) throws -> SecretBytes? {
            let line = command + "\n"
            try unsafe Descriptor.write(line.utf8Span.span.bytes, to: input.writer)
            var data = try SecretBytes(count: 0)
            while true {
                var line = try readLine()
                let (beginning, count) = line.withBytes { bytes in
                    (bytes.byteCount == 0 ? 0 : bytes[0], bytes.byteCount)
                }
                switch beginning {
                case UInt8(ascii: "O"): return data
                case UInt8(ascii: "E"):
                    errorCode = Self.errorCode(of: line)
                    return nil
                case UInt8(ascii: "D") where count >= 2:
                    line.keep(from: 2, count: count - 2)
                    line.decodePercents()
                    data = line
                default: break
                }
            }
        }

        /// The code in `ERR 83886179 Operation cancelled`, without the bits of its source.
        private static func errorCode(of line: borrowing SecretBytes) -> UInt32 {
            line.withBytes { bytes in
                var number: UInt32 = 0
                for index in 4..<max(4, bytes.byteCount) {
                    let digit = bytes[index] &- UInt8(ascii: "0")
                    guard digit < 10 else { break }
                    number = number &* 10 &+ UInt32(digit)
                }
                return number & 0xFFFF
            }
        }

        /// Reads a line without its end. All its bytes are in guarded memory.
        private func readLine() throws -> SecretBytes {
            var line = try SecretBytes(count: Self.maximumLineSize)
            var size = 0
            while size < Self.maximumLineSize {
                let at = size
                let count = line.withMutableBytes { bytes in
                    unsafe bytes.withUnsafeMutableBytes { buffer -> Int in
                        guard let start = buffer.baseAddress else { return 0 }
                        return unsafe read(output.reader, start + at, 1)
                    }
                }
                if count < 0, errno == EINTR { continue }
                guard count == 1 else { throw SystemFailure("read", code: EPIPE) }
                if line.withBytes({ $0[at] }) == 0x0A { break }
                size += 1
            }
            line.keep(count: size)
            return line
        }

        private static func escape(_ text: String) -> String {
            var escaped = ""
            for scalar in text.unicodeScalars {
                switch scalar {
                case "%": escaped += "%25"
                case "\n": escaped += "%0A"
                case "\r": escaped += "%0D"
                default: escaped.unicodeScalars.append(scalar)
                }
            }
            return escaped
        }
    }

    extension SecretBytes {
        /// Replaces each percent-encoded byte (`%` and two hexadecimal digits) with the byte.
        mutating func decodePercents() {
            var written = 0
            let size = count
            withMutableBytes { span in
                unsafe span.withUnsafeMutableBytes { bytes in
                    var place = 0
                    while place < size {
                        var byte = unsafe bytes[place]
                        if byte == UInt8(ascii: "%"), place + 2 < size,
                            let high = unsafe Self.digit(bytes[place + 1]),
                            let low = unsafe Self.digit(bytes[place + 2])
                        {
                            byte = high << 4 | low
                            place += 2
                        }
                        unsafe bytes[written] = byte
                        written += 1
                        place += 1
                    }
                }
            }
            keep(count: written)
        }

        private static func digit(_ byte: UInt8) -> UInt8? {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
            case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
            case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
            default: nil
            }
        }
    }
#endif
