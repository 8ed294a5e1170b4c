import ShaleBase

/// The form of a key part's column of stored lengths, and the byte that names it. On disk, do not change.
enum StoredLengthForm: Equatable {
    /// No column: pages are compressed as a whole.
    case none
    /// Numbers of 1, 2 or 4 bytes.
    case bytes(Int)
    /// The smallest length u16, then the differences from it, of up to 16 bits each, from the lowest bit of the first
    /// byte on. Lengths of values of one kind hardly differ.
    case packed(bits: Int)

    private static let isPacked: UInt8 = 0x80
    private static let bitsMax = 16

    /// Returns the form that `byte` names; `nil` if there is none.
    init?(_ byte: UInt8) {
        switch byte {
        case 0: self = .none
        case 1, 2, 4: self = .bytes(Int(byte))
        case StoredLengthForm.isPacked...(StoredLengthForm.isPacked + UInt8(StoredLengthForm.bitsMax)):
            self = .packed(bits: Int(byte - StoredLengthForm.isPacked))
        default: return nil
        }
    }

    /// Returns the shortest form for a column of these lengths.
    init(shortestFor lengths: [Int]) {
        let (least, longest) = (lengths.min() ?? 0, lengths.max() ?? 0)
        let bytes = StoredLengthForm.bytes(longest <= 0xff ? 1 : longest <= 0xffff ? 2 : 4)
        let packed = StoredLengthForm.packed(bits: Int.bitWidth - (longest - least).leadingZeroBitCount)
        let isShorter = packed.byteCount(lengths.count) < bytes.byteCount(lengths.count)
        self = longest <= 0xffff && isShorter ? packed : bytes
    }

    var byte: UInt8 {
        switch self {
        case .none: 0
        case .bytes(let width): UInt8(width)
        case .packed(let bits): StoredLengthForm.isPacked + UInt8(bits)
        }
    }

    /// Returns the size of the column of `count` values.
    func byteCount(_ count: Int) -> Int {
        switch self {
        case .none: 0
        case .bytes(let width): width * count
        case .packed(let bits): 2 + (bits * count + 7) / 8
        }
    }

    /// Appends the column.
    func encode(_ lengths: [Int], to output: inout ByteBuffer) {
        switch self {
        case .none: break
        case .bytes(1): for length in lengths { output.append(UInt8(length)) }
        case .bytes(2): for length in lengths { output.append(UInt16(length)) }
        case .bytes: for length in lengths { output.append(UInt32(length)) }
        case .packed(let bits): StoredLengthForm.pack(lengths, bits, to: &output)
        }
    }

    private static func pack(_ lengths: [Int], _ bits: Int, to output: inout ByteBuffer) {
        let least = lengths.min() ?? 0
        output.append(UInt16(least))
        var (word, held) = (0, 0)
        for length in lengths {
            word |= (length - least) << held
            held += bits
            while held >= 8 {
                output.append(UInt8(truncatingIfNeeded: word))
                word >>= 8
                held -= 8
            }
        }
        if held > 0 { output.append(UInt8(truncatingIfNeeded: word)) }
    }
}
