/// Durable saves of a session that goes on, one item each, against bare inserts of the same bytes.
enum SaveMeasurement {
    static func run(
        _ effort: Effort, _ vaults: Vaults, _ copies: BareCopies, into table: inout Table
    ) throws {
        let saver = try Saver(vaults.large, copies)
        defer { saver.close() }
        let smallVault = try vaults.small.open()
        defer { smallVault.close() }
        var records = PairedTimes()
        var rows = PairedTimes()
        var growth = PairedTimes()
        var (large, pending) = try saver.save(vaults.large.itemCount)
        for offset in 1...effort.saves {
            let change = pending
            var (record, row, small) = (0.0, 0.0, 0.0)
            let steps = [
                { (large, pending) = try saver.save(vaults.large.itemCount + offset) },
                { record = try saver.timeRecords(change) },
                { row = try saver.timeRow(change) },
                { small = try Saver.timeSave(smallVault, vaults.small.itemCount + offset) },
            ]
            // The baseline follows one save behind, so that any order is possible, and nobody always syncs after the same other.
            let stride = offset.isMultiple(of: 2) ? 1 : 3
            for step in steps.indices { try steps[(step * stride + offset / 2) % steps.count]() }
            records.add(large, record)
            rows.add(large, row)
            growth.add(large, small)
        }
        _ = try (saver.timeRecords(pending), saver.timeRow(pending))
        try saver.requireSame()
        try saver.requireThatDifferencesAreNoticed()
        table.add("save, 100,000 items", records, against: "bare write, same records", aim: 1.6)
        table.add("save, 100,000 items", rows, against: "bare insert of the row", aim: 1.5)
        table.add("save, 100,000 items", growth, against: "the same at 100 items", aim: 1.2)
        let mean = "save, mean with checkpoints"
        table.add(mean: mean, records, against: "bare write, same records", aim: 1.6)
        table.add(mean: mean, rows, against: "bare insert of the row", aim: 1.5)
        table.add(mean: mean, growth, against: "the same at 100 items", aim: 1.2)
    }
}

/// The first save after opening, which verifies as the first read does.
enum FirstSaveMeasurement {
    static func run(
        _ effort: Effort, _ vaults: Vaults, _ copies: BareCopies, into table: inout Table
    ) throws {
        var records = PairedTimes()
        var growth = PairedTimes()
        for round in 0..<effort.rounds {
            // Numbers that the other measurements do not use.
            let number = 5_000_000 + round
            let saver = try Saver(vaults.large, copies)
            let save = try saver.save(number)
            let record = try saver.timeRecords(save.change)
            _ = try saver.timeRow(save.change)
            saver.close()
            records.add(save.time, record)
            let small = try vaults.small.withOpen { try Saver.timeSave($0, number) }
            growth.add(save.time, small)
        }
        let name = "first save after opening, 100,000"
        table.add(name, records, against: "bare write, same records", aim: 1.6)
        table.add(name, growth, against: "the same at 100 items", aim: 1.2)
    }
}
