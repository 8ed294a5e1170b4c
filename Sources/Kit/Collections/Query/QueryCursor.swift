import Shale
import ShaleBase

/// The place behind a record in the order of a query. Pages continue there.
///
/// A cursor stays valid across processes and changes, also if its record is changed or deleted, or if the indexes are
/// others by then. It contains the values of the order's fields, so treat it as confidential as they are.
public struct QueryCursor: Sendable, Hashable {
    /// The cursor as bytes, to be stored.
    public let bytes: [UInt8]

    /// Reads a stored cursor. A query throws `.invalidArgument` if the bytes are none of its own order.
    public init(bytes: [UInt8]) { self.bytes = bytes }

    /// Kept by applications, do not change: format 1 u8 | hash of the order u64 | path u32 | bytes of
    /// the hint u32 | hint | place. Little-endian. The path is the number of an index, 0 for the records, and
    /// ``noPath`` if records were sorted.
    init(order: UInt64, path: UInt32, hint: [UInt8], place: SortKey) {
        var bytes: [UInt8] = [1]
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: order >> (8 * UInt64(shift)))) }
        for number in [path, UInt32(clamping: hint.count)] {
            for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt32(shift)))) }
        }
        self.bytes = bytes + hint + place.bytes
    }

    static let noPath = UInt32.max

    struct Content {
        let order: UInt64
        let path: UInt32
        let hint: [UInt8]
        let place: SortKey
    }

    var content: Content {
        get throws(StorageError) {
            do throws(ParseFailure) {
                return try bytes.withBytes { (bytes) throws(ParseFailure) in
                    var reader = ByteReader(bytes)
                    guard try reader.u8("the format") == 1 else { throw ParseFailure("the format is unknown") }
                    let order = try reader.u64("the order")
                    let path = try reader.u32("the path")
                    let hint = try reader.slice(Int(try reader.u32("the hint's length")), "the hint").array()
                    let place = try reader.slice(reader.remaining, "the place").array()
                    return Content(order: order, path: path, hint: hint, place: SortKey(bytes: place))
                }
            } catch {
                throw .invalid("the bytes are no cursor of a query: \(error.reason)")
            }
        }
    }
}

/// The values that a condition fixes. A page may begin at the hint of a cursor only if both conditions fix the same
/// values: an index that delivers one order for each of two values has the places of both conditions apart.
struct HintScope: Sendable {
    private let digest: [UInt8]

    init(_ fixed: [Int: CompositeKey.Element]) {
        var encoder = CompositeKeyEncoder()
        for (field, value) in fixed.sorted(by: { $0.key < $1.key }) {
            encoder.append(.int(Int64(field)))
            encoder.append(IndexKey.canonical(value))
        }
        let hash = encoder.bytes.withBytes { XXH3.hash($0) }
        digest = (0..<8).map { UInt8(truncatingIfNeeded: hash >> (8 * UInt64($0))) }
    }

    /// Returns the hint of a cursor: this scope and a place in a path.
    func hint(_ place: [UInt8]) -> [UInt8] { digest + place }

    /// Returns the place in a hint; `nil` if the hint has another scope.
    func place(in hint: [UInt8]) -> [UInt8]? {
        hint.starts(with: digest) ? Array(hint[digest.count...]) : nil
    }
}
