import ShalePlatform

/// The contents of the partition of one writer, as far as its reports tell.
struct WriterState {
    private(set) var values: [String: ClientScript.Value] = [:]
    private(set) var counter = 0
    /// The number of the next operation.
    private(set) var next = 0
    /// True if the next operation has begun, and was not acknowledged.
    private(set) var isOpen = false
    private(set) var acknowledged = 0

    /// Takes a report into account. Throws if the reports of a writer are out of order.
    mutating func take(_ report: Report, _ script: ClientScript) throws {
        guard report.number == next, isOpen == (report.kind == .done) else {
            throw TrialFailure("writer \(report.writer) reported \(report) after \(next)")
        }
        switch report.kind {
        case .begun: isOpen = true
        case .done:
            apply(script.operation(next, of: report.writer))
            acknowledged += 1
        }
    }

    private mutating func apply(_ operation: ClientScript.Operation) {
        switch operation {
        case .write(let changes): for (key, value) in changes { values[key] = value }
        case .count: counter += 1
        }
        next += 1
        isOpen = false
    }

    /// Removes what a purge and expiry remove.
    mutating func remove(purged: Bool, expired: Bool) {
        values = values.filter { !(purged && $0.value.isPurgeable) && !(expired && $0.value.expires) }
    }

    /// Compares with what was found, and settles an operation that was not acknowledged: it happened as a whole, or not
    /// at all. Values that expire have expired.
    mutating func settle(_ found: [String: [UInt8]], writer: Int, _ script: ClientScript) throws {
        remove(purged: false, expired: true)
        if matches(found, writer) {
            if isOpen { (next, isOpen) = (next + 1, false) }
            return
        }
        guard isOpen else { throw TrialFailure("writer \(writer): " + difference(found, writer)) }
        var after = self
        after.apply(script.operation(next, of: writer))
        after.remove(purged: false, expired: true)
        guard after.matches(found, writer) else {
            throw TrialFailure(
                "writer \(writer), operation \(next): neither without it (\(difference(found, writer))) nor with it "
                    + "(\(after.difference(found, writer)))")
        }
        self = after
    }

    private func expected(_ writer: Int) -> [String: [UInt8]] {
        var expected = values.mapValues(\.bytes)
        if counter > 0 { expected[ClientScript.counter(writer)] = Array("\(counter)".utf8) }
        return expected
    }

    private func matches(_ found: [String: [UInt8]], _ writer: Int) -> Bool { found == expected(writer) }

    private func difference(_ found: [String: [UInt8]], _ writer: Int) -> String {
        let expected = expected(writer)
        let keys = Set(found.keys).union(expected.keys).filter { found[$0] != expected[$0] }
        func text(_ bytes: [UInt8]?) -> String { bytes.map { String(decoding: $0.prefix(9), as: UTF8.self) } ?? "none" }
        return keys.sorted().map { "\($0): \(text(found[$0])) instead of \(text(expected[$0]))" }.joined(
            separator: ", ")
    }
}
