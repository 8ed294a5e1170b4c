import ShaleCluster

/// The result of a copy to or from a cluster.
struct ClusterCopyReport: Report {
    static let command = "copy"

    /// A key that differs.
    struct Difference: Encodable {
        /// The sides that have the key.
        enum Side: String, Encodable {
            case source, target, both
        }

        let place: Side
        let key: String?
        let keyBase64: String?
        private let bytes: [UInt8]

        enum CodingKeys: String, CodingKey { case place, key, keyBase64 }

        init(_ place: Side, _ key: [UInt8]) {
            let shown = ShownKey(key)
            self.place = place
            self.key = shown.text
            keyBase64 = shown.base64
            bytes = key
        }

        func line() -> Shown {
            let sign: Shown =
                switch place {
                case .source: "-"
                case .target: "+"
                case .both: "~"
                }
            return "\(sign) \(Shown(key: bytes))"
        }
    }

    /// The comparison of both sides.
    struct Verification: Encodable {
        let isEqual: Bool
        /// The number of keys that differ in any way.
        let differenceCount: Int
        let sourceEntries: Int
        let targetEntries: Int
        /// The digests of keys and values in order, in hexadecimal.
        let sourceDigest: String
        let targetDigest: String
        /// The first differences of each kind.
        let differences: [Difference]

        init(_ difference: NamespaceDifference) {
            isEqual = difference.isEqual
            differenceCount = difference.count
            sourceEntries = difference.firstCount
            targetEntries = difference.secondCount
            sourceDigest = Self.hexadecimal(difference.firstDigest)
            targetDigest = Self.hexadecimal(difference.secondDigest)
            differences =
                difference.onlyInFirst.map { Difference(.source, $0.bytes) }
                + difference.onlyInSecond.map { Difference(.target, $0.bytes) }
                + difference.differing.map { Difference(.both, $0.bytes) }
        }

        private static func hexadecimal(_ digest: UInt64) -> String {
            let digits = String(digest, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
    }

    /// The number of entries that were read.
    let entries: Int
    /// The number of entries that the target lacked or had differently.
    let written: Int
    /// The bytes of keys and values that were read.
    let bytes: Int
    let seconds: Double
    /// Absent without `--verify`.
    let verification: Verification?

    init(_ report: NamespaceCopy.Report, _ difference: NamespaceDifference?, seconds: Double) {
        entries = report.entries
        written = report.written
        bytes = report.bytes
        self.seconds = seconds
        verification = difference.map(Verification.init)
    }

    func text() -> Shown {
        let time = Duration.seconds(seconds)
        let rate = Figures.rate(UInt64(clamping: entries), time)
        var lines: [Shown] = [
            "\(Figures.count(entries, "entry", "entries")), \(Figures.bytes(bytes)), "
                + "\(Figures.count(written)) written, in \(Figures.duration(time)): \(rate)"
        ]
        guard let verification else { return lines[0] }
        lines.append(
            verification.isEqual
                ? "both sides are equal, digest \(Shown(verification.sourceDigest))"
                : "the sides differ in \(Figures.count(verification.differenceCount, "key")), digests "
                    + "\(Shown(verification.sourceDigest)) and \(Shown(verification.targetDigest))")
        lines += verification.differences.map { $0.line() }
        return lines.joined(separator: "\n")
    }
}
