/// All that is measured of tasks.
enum TaskMeasurements {
    static func run(_ effort: Effort, in folder: ScratchFolder, into table: inout Table) throws {
        let files = try TaskImportMeasurement.run(effort, in: folder, into: &table)
        try TaskPageMeasurement.run(effort, files, into: &table)
        try TaskProcessMeasurement.run(effort, files, in: folder, into: &table)
        try TaskwarriorMeasurement.run(effort, in: folder, into: &table)
        try TaskRevealMeasurement.run(effort, in: folder, into: &table)
        // From here on lists grow.
        try TaskChangeMeasurement.run(effort, files, in: folder, into: &table)
    }
}
