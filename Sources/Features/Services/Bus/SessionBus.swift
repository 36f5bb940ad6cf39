#if os(Linux)
    internal import CSystemd
    internal import Platform

    /// A connection to the user's session bus. No call blocks. Not thread-safe, and unusable in a
    /// forked child.
    ///
    /// The corresponding C functions are those of `sd-bus`.
    @safe package final class SessionBus {
        private let functions: UnsafePointer<csystemd_library>
        private let handle: OpaquePointer

        /// Starts to connect.
        ///
        /// - Parameter address: The bus address; nil for `DBUS_SESSION_BUS_ADDRESS`, or else the
        ///   socket in `XDG_RUNTIME_DIR`.
        /// - Throws: `SystemFailure`: `ENOMEDIUM` without an address, `ENOENT` or `ECONNREFUSED`
        ///   without a bus, `ELIBACC` without libsystemd. Later failures are reported with the
        ///   first message.
        package init(address: String? = nil) throws {
            guard let library = SystemdLibrary.shared else {
                throw SystemFailure("dlopen", code: ELIBACC)
            }
            unsafe functions = unsafe library.functions
            var bus: OpaquePointer?
            guard let address = address ?? Self.userAddress else {
                throw SystemFailure("sd_bus_set_address", code: ENOMEDIUM)
            }
            let result = unsafe Self.open(address, &bus, functions)
            guard result >= 0, let bus = unsafe bus else {
                unsafe Self.release(bus, functions)
                throw SystemFailure("sd_bus_start", code: -result)
            }
            unsafe handle = unsafe bus
        }

        deinit {
            unsafe Self.release(handle, functions)
        }

        /// The address of the user's bus, as `sd_bus_open_user` determines it; nil without one.
        private static var userAddress: String? {
            func variable(_ name: String) -> String? {
                unsafe getenv(name).map { unsafe String(cString: $0) }
            }
            if let address = variable("DBUS_SESSION_BUS_ADDRESS") { return address }
            guard let folder = variable("XDG_RUNTIME_DIR") else { return nil }
            return "unix:path=" + escape(folder) + "/bus"
        }

        /// Escapes a value of a D-Bus address.
        static func escape(_ value: String) -> String {
            var escaped = ""
            for byte in value.utf8 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                    escaped.unicodeScalars.append(Unicode.Scalar(byte))
                default:
                    escaped += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
                }
            }
            return escaped
        }

        private static func open(
            _ address: String, _ bus: inout OpaquePointer?,
            _ functions: UnsafePointer<csystemd_library>
        ) -> Int32 {
            let made = unsafe functions.pointee.sd_bus_new(&bus)
            guard made >= 0, let new = unsafe bus else { return made }
            let named = unsafe functions.pointee.sd_bus_set_address(new, address)
            if named < 0 { return named }
            // No call here takes descriptors. The bus refuses messages with some, which would count
            // against this process while a call waits.
            let refused = unsafe functions.pointee.sd_bus_negotiate_fds(new, 0)
            if refused < 0 { return refused }
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
            // A closed connection has no descriptor. The next call reports that.
            return pollfd(fd: max(descriptor, -1), events: Int16(max(events, 0)), revents: 0)
        }

        /// The latest time at which to call ``next()``.
        var deadline: MonotonicTime {
            var microseconds: UInt64 = .max
            let result = unsafe functions.pointee.sd_bus_get_timeout(handle, &microseconds)
            guard result > 0, microseconds < UInt64(Int64.max) / 1_000 else { return .never }
            return MonotonicTime(nanoseconds: Int64(microseconds) * 1_000)
        }

        /// Sends a method call.
        ///
        /// - Returns: The serial number, which the reply repeats.
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
            return try send(message)
        }

        /// Sends a message.
        ///
        /// - Returns: The message's serial number.
        /// - Throws: As ``call(_:of:at:to:_:)``.
        @discardableResult
        func send(_ message: BusMessage) throws -> UInt64 {
            var cookie: UInt64 = 0
            let sent = unsafe functions.pointee.sd_bus_send(handle, message.handle, &cookie)
            guard sent >= 0 else { throw SystemFailure("sd_bus_send", code: -sent) }
            return cookie
        }

        /// Replies to a method call, unless the caller expects no reply.
        func reply(_ call: BusMessage, _ write: (BusMessage) throws -> Void = { _ in }) throws {
            guard call.expectsReply else { return }
            var made: OpaquePointer?
            let result = unsafe functions.pointee.sd_bus_message_new_method_return(
                call.handle, &made)
            guard result >= 0, let made = unsafe made else {
                throw SystemFailure("sd_bus_message_new_method_return", code: -result)
            }
            let message = unsafe BusMessage(made, functions)
            try write(message)
            try send(message)
        }

        /// Replies to a method call with an error.
        func replyError(_ call: BusMessage, _ name: String, _ text: String) throws {
            guard call.expectsReply else { return }
            var made: OpaquePointer?
            let result = unsafe csystemd_new_error(functions, call.handle, &made, name, text)
            guard result >= 0, let made = unsafe made else {
                throw SystemFailure("sd_bus_message_new_method_errorf", code: -result)
            }
            try send(unsafe BusMessage(made, functions))
        }

        /// Sends a signal to one connection, or to all.
        func signal(
            _ member: String, of interface: String, at path: String, to destination: String? = nil,
            _ write: (BusMessage) throws -> Void = { _ in }
        ) throws {
            var made: OpaquePointer?
            let result = unsafe functions.pointee.sd_bus_message_new_signal(
                handle, &made, path, interface, member)
            guard result >= 0, let made = unsafe made else {
                throw SystemFailure("sd_bus_message_new_signal", code: -result)
            }
            let message = unsafe BusMessage(made, functions)
            if let destination {
                let set = unsafe functions.pointee.sd_bus_message_set_destination(
                    made, destination)
                guard set >= 0 else {
                    throw SystemFailure("sd_bus_message_set_destination", code: -set)
                }
            }
            try write(message)
            try send(message)
        }

        /// The unique name of this connection; nil until the bus has assigned it.
        var uniqueName: String? {
            var name: UnsafePointer<CChar>?
            guard unsafe functions.pointee.sd_bus_get_unique_name(handle, &name) >= 0,
                let name = unsafe name
            else { return nil }
            return unsafe String(cString: name)
        }

        /// The next message; nil if none is available now.
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
#endif
