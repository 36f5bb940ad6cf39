internal import SecretMemory
internal import SecureStorage

/// What takes the secrets of an import, one at a time.
typealias SecretReceiver = (ImportedSecret, borrowing SecretBytes) throws(SecureStoreError) -> Void

/// One pass over a file: hands on secrets and writes the report.
struct ImportRun {
    var report: ImportReport
    var names = NameRegistry()

    init(_ format: ExchangeFormat) {
        report = ImportReport(format: format)
    }

    /// Hands one secret to the receiver and sorts its errors: those about this secret are reported, all others end the import.
    mutating func deliver(
        _ secret: ImportedSecret, _ value: borrowing SecretBytes, to receive: SecretReceiver
    ) throws(ExchangeError) {
        guard value.count <= SecretLimits.maximumValueSize else {
            return skip(
                secret.line, .refused(.tooLarge(maximum: SecretLimits.maximumValueSize)))
        }
        do {
            try receive(secret, value)
            report.imported += 1
        } catch {
            switch error {
            case .duplicate, .tooLarge, .invalidName: skip(secret.line, .refused(error))
            case .locked, .notVerified, .notFound, .conflict, .damaged, .unavailable:
                throw .store(error)
            }
        }
    }

    mutating func skip(_ line: Int, _ reason: SkipReason) {
        report.skipped.append(ImportReport.Skip(line: line, reason: reason))
    }

    mutating func note(_ line: Int, _ changes: [NameChange]) {
        for change in changes {
            let alteration = ImportReport.Alteration(line: line, change: change)
            if report.altered.last != alteration { report.altered.append(alteration) }
        }
    }
}
