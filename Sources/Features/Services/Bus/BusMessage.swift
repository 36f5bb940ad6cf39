#if os(Linux)
    internal import CSystemd
    internal import Platform

    /// A D-Bus message. Values are appended or read in order. Not thread-safe.
    ///
    /// Each function throws `SystemFailure`, for example if a value has another type.
    @safe final class BusMessage {
        private let functions: UnsafePointer<csystemd_library>
        let handle: OpaquePointer

        /// Takes ownership of a reference.
        init(_ handle: OpaquePointer, _ functions: UnsafePointer<csystemd_library>) {
            unsafe self.handle = unsafe handle
            unsafe self.functions = unsafe functions
        }

        deinit {
            _ = unsafe functions.pointee.sd_bus_message_unref(handle)
        }

        /// The serial number of the call that this message answers; nil if it is not a reply.
        var replySerial: UInt64? {
            var cookie: UInt64 = 0
            let result = unsafe functions.pointee.sd_bus_message_get_reply_cookie(handle, &cookie)
            return result >= 0 ? cookie : nil
        }

        /// Whether the message is an error reply.
        var isError: Bool {
            unsafe functions.pointee.sd_bus_message_is_method_error(handle, nil) > 0
        }

        /// Whether the message is the error of this name.
        func isError(_ name: String) -> Bool {
            unsafe functions.pointee.sd_bus_message_is_method_error(handle, name) > 0
        }

        /// Whether the message is this signal.
        func isSignal(_ member: String, of interface: String) -> Bool {
            unsafe functions.pointee.sd_bus_message_is_signal(handle, interface, member) > 0
        }

        /// The sender's unique name, which the bus sets.
        var sender: String {
            guard let name = unsafe functions.pointee.sd_bus_message_get_sender(handle) else {
                return ""
            }
            return unsafe String(cString: name)
        }

        /// Whether the message is a method call.
        var isCall: Bool {
            unsafe functions.pointee.sd_bus_message_is_method_call(handle, nil, nil) > 0
        }

        /// Whether the caller expects a reply.
        var expectsReply: Bool {
            unsafe functions.pointee.sd_bus_message_get_expect_reply(handle) > 0
        }

        /// The object path, the interface and the method of a call. The interface is empty if
        /// absent.
        var target: (path: String, interface: String, member: String) {
            unsafe (
                Self.string(functions.pointee.sd_bus_message_get_path(handle)),
                Self.string(functions.pointee.sd_bus_message_get_interface(handle)),
                Self.string(functions.pointee.sd_bus_message_get_member(handle))
            )
        }

        private static func string(_ text: UnsafePointer<CChar>?) -> String {
            guard let text = unsafe text else { return "" }
            return unsafe String(cString: text)
        }

        /// Whether the values have this D-Bus signature.
        func hasSignature(_ types: String) -> Bool {
            unsafe functions.pointee.sd_bus_message_has_signature(handle, types) > 0
        }

        func append(_ text: String) throws { try append(text, as: Self.text) }

        /// Appends an object path.
        func append(path: String) throws { try append(path, as: Self.path) }

        private func append(_ text: String, as type: CChar) throws {
            let result = unsafe text.withCString {
                unsafe functions.pointee.sd_bus_message_append_basic(handle, type, $0)
            }
            try check(result)
        }

        func append(_ isTrue: Bool) throws {
            var number: Int32 = isTrue ? 1 : 0
            try check(
                unsafe functions.pointee.sd_bus_message_append_basic(
                    handle, Self.boolean, &number))
        }

        func append(_ number: UInt64) throws {
            var number = number
            try check(
                unsafe functions.pointee.sd_bus_message_append_basic(
                    handle, Self.long, &number))
        }

        func append(paths: [String]) throws {
            try append(Self.array, of: "o") { for path in paths { try append(path: path) } }
        }

        /// Appends an array of bytes.
        func append(bytes: RawSpan) throws {
            try check(
                unsafe bytes.withUnsafeBytes {
                    unsafe functions.pointee.sd_bus_message_append_array(
                        handle, Self.byte, $0.baseAddress, $0.count)
                })
        }

        /// Appends a variant with one value of this type.
        func append(variant type: String, _ body: () throws -> Void) throws {
            try append(Self.variant, of: type, body)
        }

        func append(_ number: UInt32) throws {
            var number = number
            try check(
                unsafe functions.pointee.sd_bus_message_append_basic(
                    handle, Self.unsigned, &number))
        }

        func append(_ number: Int32) throws {
            var number = number
            try check(
                unsafe functions.pointee.sd_bus_message_append_basic(handle, Self.signed, &number))
        }

        func append(_ number: UInt8) throws {
            var number = number
            try check(
                unsafe functions.pointee.sd_bus_message_append_basic(handle, Self.byte, &number))
        }

        func append(_ texts: [String]) throws {
            try append(Self.array, of: "s") { for text in texts { try append(text) } }
        }

        /// Appends an array, a variant, a struct or a dictionary entry.
        func append(_ container: CChar, of contents: String, _ body: () throws -> Void) throws {
            try open(container, of: contents)
            try body()
            try close()
        }

        /// Opens a container. The next values go into it.
        func open(_ container: CChar, of contents: String) throws {
            try check(
                unsafe functions.pointee.sd_bus_message_open_container(handle, container, contents))
        }

        /// Closes the innermost open container.
        func close() throws {
            try check(unsafe functions.pointee.sd_bus_message_close_container(handle))
        }

        func readText() throws -> String { try readText(Self.text) }

        func readPath() throws -> String { try readText(Self.path) }

        private func readText(_ type: CChar) throws -> String {
            var text: UnsafePointer<CChar>?
            try check(
                unsafe functions.pointee.sd_bus_message_read_basic(handle, type, &text),
                isRequired: true)
            guard let text = unsafe text else { throw Self.malformed }
            return unsafe String(cString: text)
        }

        func readBoolean() throws -> Bool {
            var number: Int32 = 0
            try check(
                unsafe functions.pointee.sd_bus_message_read_basic(
                    handle, Self.boolean, &number), isRequired: true)
            return number != 0
        }

        /// Lends an array of bytes. The memory belongs to the message.
        func readBytes<Result: ~Copyable>(_ body: (RawSpan) throws -> Result) throws -> Result {
            var start: UnsafeRawPointer?
            var size = 0
            try check(
                unsafe functions.pointee.sd_bus_message_read_array(
                    handle, Self.byte, &start, &size), isRequired: true)
            return try body(
                unsafe RawSpan(
                    _unsafeBytes: UnsafeRawBufferPointer(
                        start: size == 0 ? nil : start, count: size)))
        }

        /// Calls `body` for each element of an array.
        func readEach(of contents: String, _ body: () throws -> Void) throws {
            try enter(Self.array, contents)
            while unsafe functions.pointee.sd_bus_message_peek_type(handle, nil, nil) > 0 {
                try body()
            }
            try leave()
        }

        /// Reads a struct, a variant or a dictionary entry.
        func read<Result: ~Copyable>(
            _ container: CChar, _ contents: String, _ body: () throws -> Result
        ) throws -> Result {
            try enter(container, contents)
            let result = try body()
            try leave()
            return result
        }

        func readPaths() throws -> [String] {
            var paths: [String] = []
            try readEach(of: "o") { paths.append(try readPath()) }
            return paths
        }

        /// Reads a dictionary of strings. Of equal keys the last one counts.
        func readDictionary() throws -> [String: String] {
            var texts: [String: String] = [:]
            try readEach(of: "{ss}") {
                try read(Self.entry, "ss") { texts[try readText()] = try readText() }
            }
            return texts
        }

        /// The type of the next variant; nil if the next value is not a variant.
        var variantType: String? {
            guard let next = try? peek(), next.type == Self.variant else { return nil }
            return next.contents
        }

        /// The type of the next value, and the types in it if it is a container; nil at the end.
        private func peek() throws -> (type: CChar, contents: String)? {
            var type: CChar = 0
            var contents: UnsafePointer<CChar>?
            let result = unsafe functions.pointee.sd_bus_message_peek_type(
                handle, &type, &contents)
            try check(result)
            guard result > 0 else { return nil }
            guard let contents = unsafe contents else { return (type, "") }
            return unsafe (type, String(cString: contents))
        }

        /// The size of the values in bytes, at least. The count ends soon after `limit`.
        ///
        /// libsystemd does not tell it, so this reads the values from the first one on.
        func size(upTo limit: Int) throws -> Int {
            try rewind()
            var size = 0
            try addSizes(to: &size, upTo: limit)
            return size
        }

        private func addSizes(to size: inout Int, upTo limit: Int) throws {
            while size <= limit, let (type, contents) = try peek() {
                size += 8
                switch type {
                case Self.array where contents == "y":
                    size += try readBytes { $0.byteCount }
                case Self.array, Self.variant, Self.structure, Self.entry:
                    try enter(type, contents)
                    try addSizes(to: &size, upTo: limit)
                    // Only at its end can a container be left.
                    if size <= limit { try leave() }
                case Self.text, Self.path, Self.signature:
                    size += try readText(type).utf8.count
                default:
                    var number: UInt64 = 0
                    try check(
                        unsafe functions.pointee.sd_bus_message_read_basic(handle, type, &number),
                        isRequired: true)
                }
            }
        }

        /// Skips a value.
        func skip(_ type: String) throws {
            try check(
                unsafe functions.pointee.sd_bus_message_skip(handle, type), isRequired: true)
        }

        /// Moves the read position back to the first value.
        func rewind() throws {
            try check(unsafe functions.pointee.sd_bus_message_rewind(handle, 1))
        }

        /// Marks the message as sensitive: libsystemd erases it when it is freed. The bus still
        /// sees it.
        func markSensitive() throws {
            try check(unsafe functions.pointee.sd_bus_message_sensitive(handle))
        }

        private func enter(_ container: CChar, _ contents: String) throws {
            try check(
                unsafe functions.pointee.sd_bus_message_enter_container(
                    handle, container, contents), isRequired: true)
        }

        private func leave() throws {
            try check(unsafe functions.pointee.sd_bus_message_exit_container(handle))
        }

        func readNumber() throws -> UInt32 {
            var number: UInt32 = 0
            try check(
                unsafe functions.pointee.sd_bus_message_read_basic(handle, Self.unsigned, &number),
                isRequired: true)
            return number
        }

        func readTexts() throws -> [String] {
            try check(
                unsafe functions.pointee.sd_bus_message_enter_container(handle, Self.array, "s"),
                isRequired: true)
            var texts: [String] = []
            while true {
                var text: UnsafePointer<CChar>?
                let result = unsafe functions.pointee.sd_bus_message_read_basic(
                    handle, Self.text, &text)
                try check(result)
                guard result > 0, let text = unsafe text else { break }
                unsafe texts.append(String(cString: text))
            }
            try check(unsafe functions.pointee.sd_bus_message_exit_container(handle))
            return texts
        }

        private func check(_ result: Int32, isRequired: Bool = false) throws {
            if result < 0 { throw SystemFailure("sd_bus_message", code: -result) }
            if isRequired, result == 0 { throw Self.malformed }
        }

        private static let malformed = SystemFailure("sd_bus_message", code: EBADMSG)
        // The type codes of D-Bus.
        private static let text = CChar(bitPattern: UInt8(ascii: "s"))
        private static let unsigned = CChar(bitPattern: UInt8(ascii: "u"))
        private static let signature = CChar(bitPattern: UInt8(ascii: "g"))
        private static let path = CChar(bitPattern: UInt8(ascii: "o"))
        private static let boolean = CChar(bitPattern: UInt8(ascii: "b"))
        private static let long = CChar(bitPattern: UInt8(ascii: "t"))
        private static let signed = CChar(bitPattern: UInt8(ascii: "i"))
        private static let byte = CChar(bitPattern: UInt8(ascii: "y"))
        static let array = CChar(bitPattern: UInt8(ascii: "a"))
        static let variant = CChar(bitPattern: UInt8(ascii: "v"))
        static let structure = CChar(bitPattern: UInt8(ascii: "r"))
        static let entry = CChar(bitPattern: UInt8(ascii: "e"))
    }
#endif
