/// Durable saves of a session that goes on, one item each, against bare inserts of the same bytes.
enum SaveMeasurement {
    static func run(
        _ effort: Effort, _ vaults: Vaults, _ copies: BareCopies, into table: inout Table
    ) throws {
        let saver = try Saver(vaults.large, copies)
        defer { saver.close() }
        let small = try vaults.small.open()
        defer { small.close() }
        var records = PairedTimes()
        var rows = PairedTimes()
        var growth = PairedTimes()
        for offset in 0..<effort.saves {
            let times = try saver.save(vaults.large.itemCount + offset)
            records.add(times.product, times.bareRecords)
            rows.add(times.product, times.bareRow)
            growth.add(times.product, try Saver.time(small, vaults.small.itemCount + offset))
        }
        try saver.requireSame()
        table.add("save, 100,000 items", records, against: "bare write, same records", aim: 1.5)
        table.add("save, 100,000 items", rows, against: "bare insert of the row", aim: 1.5)
        table.add("save, 100,000 items", growth, against: "the same at 100 items", aim: 1.2)
        let mean = "save, mean with checkpoints"
        table.add(mean: mean, records, against: "bare write, same records", aim: 1.5)
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
            let times = try saver.save(number)
            saver.close()
            records.add(times.product, times.bareRecords)
            growth.add(
                times.product, try vaults.small.withOpen { try Saver.time($0, number) })
        }
        let name = "first save after opening, 100,000"
        table.add(name, records, against: "bare write, same records", aim: 1.5)
        table.add(name, growth, against: "the same at 100 items", aim: 1.2)
    }
}
