/// A pattern of whole keys: with the shell's or with SQL's wildcards.
///
/// It is matched against the key's bytes, a wildcard for one character taking one character of UTF-8, or one byte where
/// the key is no text. Case matters. Matching takes O(pattern × key) at worst, and no more memory than the pattern.
public struct KeyPattern: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case byte(UInt8)
        /// Exactly one character.
        case one
        /// Any number of characters, none too.
        case many
    }

    let pieces: [Piece]

    /// `*` stands for any number of characters, `?` for one, and `\` takes the meaning from what follows.
    public static func glob(_ pattern: String) -> KeyPattern { KeyPattern(pattern, many: "*", one: "?") }

    /// `%` stands for any number of characters, `_` for one, and `\` takes the meaning from what follows.
    public static func like(_ pattern: String) -> KeyPattern { KeyPattern(pattern, many: "%", one: "_") }

    private init(_ pattern: String, many: Unicode.Scalar, one: Unicode.Scalar) {
        var pieces: [Piece] = []
        var isEscaped = false
        for byte in pattern.utf8 {
            let piece: Piece
            switch Unicode.Scalar(byte) {
            case many where !isEscaped: piece = .many
            case one where !isEscaped: piece = .one
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            default: piece = .byte(byte)
            }
            isEscaped = false
            if piece != .many || pieces.last != .many { pieces.append(piece) }
        }
        // A last backslash has nothing to take the meaning from, and is one.
        if isEscaped { pieces.append(.byte(UInt8(ascii: "\\"))) }
        self.pieces = pieces
    }

    /// What all keys that match start with: all that a scan has to look at.
    var literalPrefix: [UInt8] {
        var prefix: [UInt8] = []
        for case .byte(let byte) in pieces.prefix(while: { $0 != .one && $0 != .many }) { prefix.append(byte) }
        return prefix
    }

    /// Whether the whole of `key` is of this pattern.
    public func matches(_ key: some StoreKey) throws(StorageError) -> Bool {
        try key.withKeyBytes { (key) in matches(key) }
    }

    /// Greedy with one place to go back to: the last wildcard of many decides alone, because whatever an earlier one takes
    /// more, the last one could take less.
    func matches(_ key: RawSpan) -> Bool {
        var piece = 0
        var index = 0
        var retry: (piece: Int, index: Int)?
        while index < key.byteCount {
            if piece < pieces.count {
                switch pieces[piece] {
                case .many:
                    piece += 1
                    retry = (piece, index)
                    continue
                case .one:
                    piece += 1
                    index = KeyPattern.characterEnd(key, index)
                    continue
                case .byte(let byte) where key[index] == byte:
                    piece += 1
                    index += 1
                    continue
                case .byte: break
                }
            }
            guard let (next, start) = retry else { return false }
            piece = next
            index = KeyPattern.characterEnd(key, start)
            retry = (next, index)
        }
        return pieces[piece...].allSatisfy { $0 == .many }
    }

    /// Where the character at `start` ends: behind the bytes that continue it.
    private static func characterEnd(_ key: RawSpan, _ start: Int) -> Int {
        var end = start + 1
        guard key[start] >= 0xC0 else { return end }
        while end < key.byteCount, end - start < 4, key[end] & 0xC0 == 0x80 { end += 1 }
        return end
    }
}

extension RawSpan {
    @inline(__always)
    fileprivate subscript(index: Int) -> UInt8 {
        precondition(index >= 0 && index < byteCount)
        return unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: index, as: UInt8.self)
    }
}
