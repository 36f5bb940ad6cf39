internal import Application
internal import TextCoding
internal import VaultCore

extension JSONWriter where Sink: ~Copyable {
    /// Writes the slots as a member; null if they are not known.
    mutating func member(_ key: String, _ report: SlotReport?) throws {
        try self.key(key)
        guard let report else { return try null() }
        try beginArray()
        for slot in report.slots {
            try beginObject()
            try member("id", Hexadecimal.text(slot.id))
            try member("kind", slot.code)
            try member("label", slot.record?.name)
            try member("synced", slot.record?.isSynchronised)
            try member("last_used", milliseconds: report.lastUse(of: slot))
            try endObject()
        }
        try endArray()
    }

    /// Writes the codes of the weak points.
    mutating func weakPoints(of report: SlotReport) throws {
        try beginArray()
        if report.weakPoint != nil { try string(SlotReport.weakPointCode) }
        try endArray()
    }
}
