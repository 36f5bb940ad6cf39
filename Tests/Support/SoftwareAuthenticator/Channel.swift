internal import SecretMemory

/// The state of a key, and its side of CTAPHID (CTAP 2.1, section 11.2).
extension SoftwareAuthenticator {
    struct State: Sendable {
        var options: Options
        var seed: [UInt8]
        var isPluggedIn = true
        private(set) var packets = 0
        var commands: [Command] = []
        var relyingParties: Set<String> = []

        // The PIN.
        var pinHash: [UInt8]?
        var attemptsLeft = 8
        var wrongSincePower = 0
        var agreement = RandomSource.system.bytes(count: 32)
        var token: Token?
        var counter: UInt32 = 0

        // The channel.
        private var generation = 1
        private var channel: UInt32 = 0
        private var incoming: Message?
        private var outgoing: [[UInt8]] = []
        private var waiting: (@Sendable (inout State) -> [UInt8])?
        private var touches = 0

        var isWaiting: Bool { waiting != nil }

        /// A message of several packets.
        private struct Message {
            let command: UInt8
            let size: Int
            var content: [UInt8]
            var next: UInt8 = 0
        }

        private enum Code {
            static let initialize: UInt8 = 0x06
            static let cbor: UInt8 = 0x10
            static let cancel: UInt8 = 0x11
            static let keepAlive: UInt8 = 0x3B
            static let error: UInt8 = 0x3F
        }

        init(seed: [UInt8], pin: String?, options: Options) {
            self.seed = seed
            self.options = options
            pinHash = pin.map { Array(SHA256.hash(Array($0.utf8)).prefix(16)) }
        }

        mutating func plugIn() {
            isPluggedIn = true
            generation += 1
            wrongSincePower = 0
            token = nil
            agreement = RandomSource.system.bytes(count: 32)
            waiting = nil
            outgoing = []
        }

        mutating func open() -> Int? {
            guard isPluggedIn, !options.isBusy else { return nil }
            packets = 0
            incoming = nil
            outgoing = []
            waiting = nil
            return generation
        }

        // MARK: Packets

        /// Whether the key is still there after one more packet.
        private mutating func count(_ generation: Int) -> Bool {
            guard isPluggedIn, generation == self.generation else { return false }
            packets += 1
            if packets == options.lastPacket { isPluggedIn = false }
            return isPluggedIn
        }

        private func isSilent(_ packet: Int) -> Bool {
            options.silentFrom.map { packet >= $0 } ?? false
        }

        /// The next packet to the computer; nil if the key is gone, and empty if it is silent.
        mutating func read(_ generation: Int) -> [UInt8]? {
            guard isPluggedIn, generation == self.generation else { return nil }
            if outgoing.isEmpty || isSilent(packets + 1) { return [] }
            guard count(generation) else { return nil }
            var packet = outgoing.removeFirst()
            if let turned = options.turnedBit, turned.packet == packets {
                packet[turned.bit / 8] ^= 1 << UInt8(turned.bit % 8)
            }
            return packet
        }

        /// Takes a packet with the number of the report before it.
        mutating func write(_ report: [UInt8], _ generation: Int) -> Bool {
            guard report.count == 65, report[0] == 0, count(generation) else { return false }
            if isSilent(packets) { return true }
            let packet = Array(report.dropFirst())
            let sender = packet.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            if packet[4] & 0x80 != 0 {
                begin(packet, from: sender)
            } else {
                proceed(packet, from: sender)
            }
            return true
        }

        private mutating func begin(_ packet: [UInt8], from sender: UInt32) {
            let command = packet[4] & 0x7F
            let size = Int(packet[5]) << 8 | Int(packet[6])
            if command == Code.initialize {
                incoming = nil
                waiting = nil
                return answerInitialize(packet, from: sender, size)
            }
            guard sender == channel, sender != 0 else { return fail(0x0B, sender) }
            if command == Code.cancel {
                // It has no answer of its own.
                if waiting != nil {
                    waiting = nil
                    send(Code.cbor, [0x2D])
                }
                return
            }
            guard incoming == nil, waiting == nil else { return fail(0x06, sender) }
            guard command == Code.cbor else { return fail(0x01, sender) }
            guard size > 0, size <= 1_200 + options.padding else { return fail(0x03, sender) }
            incoming = Message(
                command: command, size: size, content: Array(packet.dropFirst(7).prefix(size)))
            finishIfWhole()
        }

        private mutating func proceed(_ packet: [UInt8], from sender: UInt32) {
            guard sender == channel, var message = incoming else { return }
            guard packet[4] == message.next else {
                incoming = nil
                return fail(0x04, sender)
            }
            message.next += 1
            message.content += packet.dropFirst(5).prefix(message.size - message.content.count)
            incoming = message
            finishIfWhole()
        }

        private mutating func answerInitialize(
            _ packet: [UInt8], from sender: UInt32, _ size: Int
        ) {
            guard size == 8 else { return fail(0x03, sender) }
            if sender == .max { channel = UInt32.random(in: 1..<(.max)) }
            // Version 2 of the protocol; CBOR, and no messages of U2F, or the opposite.
            let content =
                packet[7..<15] + Self.bytes(channel) + [2, 1, 0, 0, options.isOld ? 0x00 : 0x0C]
            send(Code.initialize, Array(content), to: sender)
        }

        private mutating func finishIfWhole() {
            guard let message = incoming, message.content.count == message.size else { return }
            incoming = nil
            run(message.content)
        }

        private mutating func send(_ command: UInt8, _ content: [UInt8], to receiver: UInt32? = nil)
        {
            let head = Self.bytes(receiver ?? channel)
            var packet =
                head + [command | 0x80, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
                + content.prefix(57)
            outgoing.append(Self.padded(packet))
            var rest = content.dropFirst(57)
            var sequence: UInt8 = 0
            while !rest.isEmpty {
                packet = head + [sequence] + rest.prefix(59)
                outgoing.append(Self.padded(packet))
                rest = rest.dropFirst(59)
                sequence += 1
            }
        }

        private mutating func fail(_ code: UInt8, _ receiver: UInt32) {
            send(Code.error, [code], to: receiver)
        }

        private static func padded(_ packet: [UInt8]) -> [UInt8] {
            packet + [UInt8](repeating: 0, count: 64 - packet.count)
        }

        static func bytes(_ number: UInt32) -> [UInt8] {
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        }

        // MARK: Answers

        /// Answers at once.
        mutating func answer(_ content: [UInt8]) {
            send(Code.cbor, content)
        }

        /// Answers after a touch.
        mutating func answerAfterTouch(_ action: @escaping @Sendable (inout State) -> [UInt8]) {
            // STATUS_UPNEEDED, and once STATUS_PROCESSING.
            send(Code.keepAlive, [1])
            send(Code.keepAlive, [2])
            switch options.touch {
            case .atOnce: send(Code.cbor, action(&self))
            case .tooLate: send(Code.cbor, [0x2F])
            case .declined: send(Code.cbor, [0x27])
            case .onCall:
                waiting = action
                if touches > 0 {
                    touches -= 1
                    finishWaiting()
                }
            }
        }

        mutating func touch() {
            if waiting == nil { touches += 1 } else { finishWaiting() }
        }

        private mutating func finishWaiting() {
            guard let action = waiting.take() else { return }
            send(Code.cbor, action(&self))
        }
    }
}
