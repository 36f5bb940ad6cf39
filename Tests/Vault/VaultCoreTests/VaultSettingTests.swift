import SecureStorage
import Testing
@testable import VaultCore

@Suite("The table of settings")
struct VaultSettingTests {
    @Test("has distinct numbers from 1 on, distinct names, and allowed values at creation")
    func rows() {
        let all = VaultSetting.all
        #expect(Set(all.map(\.number)) == Set(1...UInt8(all.count)))
        #expect(Set(all.map(\.name)).count == all.count)
        for setting in all {
            #expect(setting.range.contains(setting.standard), "\(setting.name)")
            #expect(setting.kind != .yesNo || setting.range == 0...1, "\(setting.name)")
            if case .choice(let words) = setting.kind {
                #expect(setting.range == 0...UInt32(words.count - 1), "\(setting.name)")
            }
        }
    }

    @Test("says which direction relaxes protection", arguments: VaultSetting.all)
    func relaxation(setting: VaultSetting) {
        let protecting: Set = [
            "require-locked-memory", "require-rollback-record", "earlier-values", "earlier-days",
            "removed-days",
        ]
        var (low, high) = (VaultSettings(), VaultSettings())
        low[setting] = setting.range.lowerBound
        high[setting] = setting.range.upperBound
        let isHighSafe = protecting.contains(setting.name)
        // Those of the page protect nothing.
        let isForLook = ["theme", "language"].contains(setting.name)
        #expect(low.isWider(than: high) == (isHighSafe && !isForLook))
        #expect(high.isWider(than: low) == (!isHighSafe && !isForLook))
        #expect(!high.isWider(than: high))
    }

    @Test("is encoded and decoded", arguments: VaultSetting.all)
    func coding(setting: VaultSetting) {
        for value in [setting.range.lowerBound, setting.standard, setting.range.upperBound] {
            var settings = VaultSettings()
            settings[setting] = value
            var writer = ByteWriter()
            settings.write(to: &writer)
            #expect(writer.bytes.count == (value == setting.standard ? 1 : 6))
            #expect(ByteReader.reading(writer.bytes) { VaultSettings(from: &$0) } == settings)
        }
    }
}
