import Foundation
import Synchronization

@testable import Sync

/// Writes the objects of a history for `Tests/Proof/sync/oracle.py`: `TASKVAULT_SYNC_EXPORT` names a file, to which each
/// object is added as a line of JSON.
enum ModelExport {
    /// One history after the other writes, although they run beside each other.
    private static let order = Mutex(())

    private struct Line: Encodable {
        let seed: UInt64
        let object: String
        let records: [Record]
        /// The state that each device shows; null where it has erased the object.
        let states: [State?]
    }

    private struct Record: Encodable {
        let index: Int
        let object: String
        let field: UInt32
        let detail: String
        let content: String
        let stamp: StampText
        let device: String
        let segment: UInt64
        let level: UInt8
        /// The indices of the object's other records that the author really had.
        let past: [Int]
    }

    private struct State: Encodable {
        let alive, returned, protected: Bool
        let fields: [Field]
        let occurrence: Int64?
        let due: String?
        let completions: [Int64]
        let tags, subtasks: [String]
    }

    private struct Field: Encodable {
        let field: UInt32
        let detail: String
        let current: String
        let earlier: [Earlier]
    }

    private struct Earlier: Encodable {
        let content: String
        let stamp: StampText
        let concurrent: Bool
    }

    private struct StampText: Encodable {
        let clock: UInt64
        let device: String

        init(_ stamp: Stamp) {
            clock = stamp.clock
            device = stamp.device.text
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Adds the objects of a history, each with its records and its state on each device; nothing without the variable.
    static func write(_ world: ModelWorld, _ objects: [ObjectID: [TrueRecord]]) throws {
        guard let path = ProcessInfo.processInfo.environment["TASKVAULT_SYNC_EXPORT"] else {
            return
        }
        let states = try world.devices.map {
            ($0, Dictionary(uniqueKeysWithValues: try world.states($0)))
        }
        var text = Data()
        for (object, records) in objects {
            let line = Line(
                seed: world.seed, object: object.text, records: exported(records),
                states: try states.map { device, states in
                    try states[object].map { try exported($0, of: device) }
                })
            text += try JSONEncoder().encode(line) + [10]
        }
        try order.withLock { _ in
            guard let file = FileHandle(forWritingAtPath: path) else {
                throw CocoaError(.fileNoSuchFile)
            }
            try file.seekToEnd()
            try file.write(contentsOf: text)
            try file.close()
        }
    }

    private static func exported(_ records: [TrueRecord]) -> [Record] {
        let indices = Set(records.map(\.index))
        return records.map { record in
            let version = record.version
            return Record(
                index: record.index, object: version.object.text, field: version.field.number,
                detail: hex(version.field.detail), content: hex(record.text),
                stamp: StampText(version.stamp), device: version.origin.dot.device.text,
                segment: version.origin.dot.number, level: version.level.rawValue,
                past: record.past.intersection(indices).sorted())
        }
    }

    private static func exported(_ state: ObjectState, of device: TestDevice) throws -> State {
        func content(_ version: Version) -> String {
            hex(version.content.bytes ?? device.store.state.secrets[version.key] ?? [])
        }
        return State(
            alive: !state.isRemoved, returned: state.hasReturned, protected: state.isProtected,
            fields: state.fields.map { field, found in
                Field(
                    field: field.number, detail: hex(field.detail),
                    current: content(found.current),
                    earlier: found.earlier.map {
                        Earlier(
                            content: content($0.version), stamp: StampText($0.version.stamp),
                            concurrent: $0.isConcurrent)
                    })
            },
            occurrence: state.due?.occurrence, due: state.due.map { hex($0.date) },
            completions: state.completed.sorted(), tags: state.tags.map { hex($0.detail) },
            subtasks: state.subtasks.map { hex($0.id.bytes) })
    }
}
