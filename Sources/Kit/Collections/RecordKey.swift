public import Shale
import ShaleBase
import ShalePlatform

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The primary key of a record, as the collection stores it.
public struct RecordKey: Sendable, Hashable, Comparable {
    /// The encoded key.
    public let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Makes the key of a record from the value of its key field, or from a generated UUID.
    ///
    /// - Throws: `.invalidArgument` for nil, for a date that is not a number, and for a value above about 2 KiB.
    public init(_ value: some FieldValue) throws(StorageError) {
        if case .date(let date) = value.fieldElement, date.timeIntervalSinceReferenceDate.isNaN {
            throw .invalid("a date is not a number")
        }
        bytes = try IndexKey.primary(value.fieldElement)
    }

    /// The value of the key.
    ///
    /// - Throws: `.codecFailure` if the bytes are no key.
    public var element: CompositeKey.Element {
        get throws(StorageError) {
            let elements = try CompositeKey(bytes: bytes).elements
            guard elements.count == 1 else { throw StorageError(.codecFailure, "the bytes are no key of a record") }
            return elements[0]
        }
    }

    /// The UUID of a generated key; `nil` for a key of another type.
    public var uuid: UUID? {
        get throws(StorageError) {
            guard case .uuid(let uuid) = try element else { return nil }
            return uuid
        }
    }

    /// Compares as the collection orders records.
    public static func < (a: RecordKey, b: RecordKey) -> Bool { a.bytes.lexicographicallyPrecedes(b.bytes) }

    var entryKey: EntryKey { EntryKey(bytes) }
}

/// Generates keys of 48 bits of time in milliseconds, a counter of 12 bits, and 62 random bits: UUIDs of version 7.
///
/// Keys of one generator ascend. Two generators, or two processes, never share more than the random bits' collisions,
/// and no insertion reads or writes a counter that others use. Thread-safe.
final class KeyGenerator: Sendable {
    private struct State {
        var milliseconds: UInt64 = 0
        var counter: UInt64 = 0
    }

    private let state = Locked(State())
    private let random: any RandomSource

    init(random: any RandomSource) { self.random = random }

    func next(at wallMilliseconds: Int64) -> UUID {
        let now = UInt64(clamping: wallMilliseconds) & 0xFFFF_FFFF_FFFF
        let (time, counter) = state.withLock { state -> (UInt64, UInt64) in
            if now > state.milliseconds {
                state = State(milliseconds: now, counter: 0)
            } else if state.counter == 0xFFF {
                // More than 4096 keys in a millisecond, or a clock that was set back: the time runs ahead.
                state = State(milliseconds: state.milliseconds + 1, counter: 0)
            } else {
                state.counter += 1
            }
            return (state.milliseconds, state.counter)
        }
        let high = time << 16 | 7 << 12 | counter
        let low = random.next() & (UInt64.max >> 2) | 1 << 63
        var bytes: [UInt8] = []
        for word in [high, low] {
            for index in (0..<8).reversed() { bytes.append(UInt8(truncatingIfNeeded: word >> (8 * UInt64(index)))) }
        }
        return UUID(uuid: unsafe bytes.span.bytes.unsafeLoadUnaligned(as: uuid_t.self))
    }
}
