#if os(Linux)
    internal import CSystemd
    internal import Platform

    /// libsystemd, loaded on first use and never unloaded.
    @safe struct SystemdLibrary: @unchecked Sendable {
        /// Its functions. They are constant after loading.
        let functions: UnsafePointer<csystemd_library>

        /// Loads the first available library of these names.
        init?(names: [String]) {
            for name in names {
                if let functions = unsafe csystemd_load(name) {
                    unsafe self.functions = unsafe functions
                    return
                }
            }
            return nil
        }

        /// The library of this process; nil if it is not installed. libelogind has the same functions.
        static let shared = SystemdLibrary(names: ["libsystemd.so.0", "libelogind.so.0"])
    }

    /// A connection to the bus of the user's session. No call waits. Not thread-safe, and unusable in a forked child.
    ///
    /// The corresponding C functions are those of `sd-bus`.
    @safe package final class SessionBus {
        private let functions: UnsafePointer<csystemd_library>
        private let handle: OpaquePointer

        /// Begins to connect.
        ///
        /// - Parameter address: The address of a bus; nil for `DBUS_SESSION_BUS_ADDRESS`, or else the socket in `XDG_RUNTIME_DIR`.
        /// - Throws: `SystemFailure`: `ENOMEDIUM` if there is no address, `ENOENT` or `ECONNREFUSED` if no bus is there, `ELIBACC` without
        ///   libsystemd. Other failures come with the first message.
        package init(address: String? = nil) throws {
            guard let library = SystemdLibrary.shared else {
                throw SystemFailure("dlopen", code: ELIBACC)
            }
            unsafe functions = unsafe library.functions
            var bus: OpaquePointer?
            let result =
                if let address {
                    unsafe Self.open(address, &bus, functions)
                } else {
                    unsafe functions.pointee.sd_bus_open_user(&bus)
                }
            guard result >= 0, let bus = unsafe bus else {
                unsafe Self.release(bus, functions)
                throw SystemFailure("sd_bus_open_user", code: -result)
            }
            unsafe handle = unsafe bus
        }

        deinit {
            unsafe Self.release(handle, functions)
        }

        private static func open(
            _ address: String, _ bus: inout OpaquePointer?,
            _ functions: UnsafePointer<csystemd_library>
        ) -> Int32 {
            let made = unsafe functions.pointee.sd_bus_new(&bus)
            guard made >= 0, let new = unsafe bus else { return made }
            let named = unsafe functions.pointee.sd_bus_set_address(new, address)
            if named < 0 { return named }
            let marked = unsafe functions.pointee.sd_bus_set_bus_client(new, 1)
            return unsafe marked < 0 ? marked : functions.pointee.sd_bus_start(new)
        }

        private static func release(
            _ bus: OpaquePointer?, _ functions: UnsafePointer<csystemd_library>
        ) {
            unsafe functions.pointee.sd_bus_close(bus)
            _ = unsafe functions.pointee.sd_bus_unref(bus)
        }

        /// The request for `poll`.
        var request: pollfd {
            let events = unsafe functions.pointee.sd_bus_get_events(handle)
            let descriptor = unsafe functions.pointee.sd_bus_get_fd(handle)
            // Without a descriptor the connection has ended, which the next call reports.
            return pollfd(fd: max(descriptor, -1), events: Int16(max(events, 0)), revents: 0)
        }

        /// When ``next()`` is to be called at the latest.
        var deadline: MonotonicTime {
            var microseconds: UInt64 = .max
            let result = unsafe functions.pointee.sd_bus_get_timeout(handle, &microseconds)
            guard result > 0, microseconds < UInt64(Int64.max) / 1_000 else { return .never }
            return MonotonicTime(nanoseconds: Int64(microseconds) * 1_000)
        }

        /// Sends a method call. The reply is a message with the returned number.
        ///
        /// - Throws: `SystemFailure`, such as `ENOBUFS` if the bus reads nothing.
        func call(
            _ member: String, of interface: String, at path: String, to destination: String,
            _ write: (BusMessage) throws -> Void = { _ in }
        ) throws -> UInt64 {
            var made: OpaquePointer?
            let result = unsafe functions.pointee.sd_bus_message_new_method_call(
                handle, &made, destination, path, interface, member)
            guard result >= 0, let made = unsafe made else {
                throw SystemFailure("sd_bus_message_new_method_call", code: -result)
            }
            let message = unsafe BusMessage(made, functions)
            try write(message)
            var cookie: UInt64 = 0
            let sent = unsafe functions.pointee.sd_bus_send(handle, made, &cookie)
            withExtendedLifetime(message) {}
            guard sent >= 0 else { throw SystemFailure("sd_bus_send", code: -sent) }
            return cookie
        }

        /// The next reply or signal; nil if there is none now.
        ///
        /// - Throws: `SystemFailure`: the connection has ended.
        func next() throws -> BusMessage? {
            for _ in 0..<64 {
                var message: OpaquePointer?
                let progress = unsafe functions.pointee.sd_bus_process(handle, &message)
                guard progress >= 0 else {
                    throw SystemFailure("sd_bus_process", code: -progress)
                }
                if let message = unsafe message { return unsafe BusMessage(message, functions) }
                if progress == 0 { break }
            }
            return nil
        }
    }

    /// A message of D-Bus: values are appended or read in their order. Not thread-safe.
    ///
    /// Every function throws `SystemFailure`, for instance if a value has another type.
    @safe final class BusMessage {
        private let functions: UnsafePointer<csystemd_library>
        private let handle: OpaquePointer

        fileprivate init(_ handle: OpaquePointer, _ functions: UnsafePointer<csystemd_library>) {
            unsafe self.handle = unsafe handle
            unsafe self.functions = unsafe functions
        }

        deinit {
            _ = unsafe functions.pointee.sd_bus_message_unref(handle)
        }

        /// The number of the call that it answers; nil if it is no reply.
        var answeredCall: UInt64? {
            var cookie: UInt64 = 0
            let result = unsafe functions.pointee.sd_bus_message_get_reply_cookie(handle, &cookie)
            return result >= 0 ? cookie : nil
        }

        /// Whether it is an error instead of an answer.
        var isError: Bool {
            unsafe functions.pointee.sd_bus_message_is_method_error(handle, nil) > 0
        }

        /// Whether it is the error of this name.
        func isError(_ name: String) -> Bool {
            unsafe functions.pointee.sd_bus_message_is_method_error(handle, name) > 0
        }

        /// Whether it is this signal.
        func isSignal(_ member: String, of interface: String) -> Bool {
            unsafe functions.pointee.sd_bus_message_is_signal(handle, interface, member) > 0
        }

        /// The unique name of the sender, by the bus.
        var sender: String {
            guard let name = unsafe functions.pointee.sd_bus_message_get_sender(handle) else {
                return ""
            }
            return unsafe String(cString: name)
        }

        func append(_ text: String) throws {
            let result = unsafe text.withCString {
                unsafe functions.pointee.sd_bus_message_append_basic(handle, Self.text, $0)
            }
            try check(result)
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

        /// Appends an array, a variant or an entry of a dictionary.
        func append(_ container: CChar, of contents: String, _ body: () throws -> Void) throws {
            try check(
                unsafe functions.pointee.sd_bus_message_open_container(handle, container, contents))
            try body()
            try check(unsafe functions.pointee.sd_bus_message_close_container(handle))
        }

        func readText() throws -> String {
            var text: UnsafePointer<CChar>?
            try check(
                unsafe functions.pointee.sd_bus_message_read_basic(handle, Self.text, &text),
                isRequired: true)
            guard let text = unsafe text else { throw Self.malformed }
            return unsafe String(cString: text)
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
        private static let signed = CChar(bitPattern: UInt8(ascii: "i"))
        private static let byte = CChar(bitPattern: UInt8(ascii: "y"))
        static let array = CChar(bitPattern: UInt8(ascii: "a"))
        static let variant = CChar(bitPattern: UInt8(ascii: "v"))
        static let entry = CChar(bitPattern: UInt8(ascii: "e"))
    }
#endif
