import ArgumentParser
import ShaleInspection

/// A finding for output.
struct FindingRow: Encodable {
    let kind: String
    let file: String
    let offset: UInt64?
    let message: String

    init(_ finding: Finding) {
        kind = finding.kind.rawValue
        file = finding.file
        offset = finding.offset
        message = finding.message
    }
}

extension [Finding] {
    var rows: [FindingRow] { map { FindingRow($0) } }

    /// Prints the findings on standard error, and ends the command with code 2 if any of them is damage.
    func conclude() throws {
        for finding in self {
            let offset = finding.offset.map { " offset=\($0)" as Shown } ?? ""
            Terminal.note("shale: \(finding.kind.rawValue): \(message: finding.message) file=\(finding.file)\(offset)")
        }
        if contains(where: \.isDamage) { throw ExitCode(ExitStatus.corruption.rawValue) }
    }
}
