import ShaleBase
import Synchronization

/// The names of files: DESIGN.md, "Directory and files". On disk, do not change.
package enum StoreLayout {
    package static let lock = "LOCK"
    package static let current = "CURRENT"
    package static let currentTemporary = "CURRENT.tmp"
    package static let reserve = "RESERVE"
    package static let statistics = "STATISTICS"
    package static let logDirectory = "wal"
    package static let segmentDirectory = "segments"
    package static let manifestPrefix = "MANIFEST-"

    package static func manifest(_ number: UInt64) -> String { manifestPrefix + number.fileNumberDigits }
    package static func log(_ number: UInt64) -> String { number.fileNumberDigits + ".wal" }
    package static func segment(_ number: UInt64) -> String { number.fileNumberDigits + ".seg" }
    package static func values(_ number: UInt64) -> String { number.fileNumberDigits + ".val" }

    /// Returns the path of a log, relative to the store.
    package static func logPath(_ number: UInt64) -> String { logDirectory + "/" + log(number) }
    /// Returns the path of a segment, relative to the store.
    package static func segmentPath(_ number: UInt64) -> String { segmentDirectory + "/" + segment(number) }
    /// Returns the path of a value file, relative to the store.
    package static func valuesPath(_ number: UInt64) -> String { segmentDirectory + "/" + values(number) }

    package static func manifestNumber(_ name: String) -> UInt64? {
        guard name.hasPrefix(manifestPrefix) else { return nil }
        return number(name.dropFirst(manifestPrefix.count))
    }

    package static func logNumber(_ name: String) -> UInt64? {
        name.hasSuffix(".wal") ? number(name.dropLast(4)) : nil
    }

    package static func segmentNumber(_ name: String) -> UInt64? {
        name.hasSuffix(".seg") ? number(name.dropLast(4)) : nil
    }

    package static func valuesNumber(_ name: String) -> UInt64? {
        name.hasSuffix(".val") ? number(name.dropLast(4)) : nil
    }

    /// Returns the number in a name. Accepts only names that this version writes: ten digits or more without a
    /// superfluous leading zero, of a number within bounds.
    private static func number(_ text: Substring) -> UInt64? {
        guard text.count >= 10, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let value = UInt64(text),
            value.fileNumberDigits == text, value <= FormatLimits.fileNumber
        else { return nil }
        return value
    }
}

/// The counter that numbers all files. A number may be lost, but is never used twice.
package final class FileNumbers: Sendable {
    private let counter: Atomic<UInt64>

    package init(next: UInt64) { counter = Atomic(next) }

    package func allocate() -> UInt64 { counter.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// Marks all numbers below `number` as used.
    package func raise(to number: UInt64) { _ = counter.max(number, ordering: .relaxed) }

    package var next: UInt64 { counter.load(ordering: .relaxed) }
}
