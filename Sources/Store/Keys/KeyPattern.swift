/// A pattern that matches whole keys, with the wildcards of the shell or of SQL.
///
/// It is matched against the key's bytes. A wildcard for one character matches one UTF-8 character, or one byte where
/// the key is not text. Matching is case-sensitive.
///
/// - Complexity: Matching takes O(pattern × key) in the worst case, and no memory beyond the pattern.
public struct KeyPattern: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case byte(UInt8)
        /// Matches exactly one character.
        case one
        /// Matches any number of characters, including none.
        case many
    }

    let pieces: [Piece]

    /// Returns a pattern in which `*` matches any number of characters, `?` matches one, and `\` escapes the next
    /// character.
    public static func glob(_ pattern: String) -> KeyPattern { KeyPattern(pattern, many: "*", one: "?") }

    /// Returns a pattern in which `%` matches any number of characters, `_` matches one, and `\` escapes the next
    /// character.
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
        // A trailing backslash escapes nothing and stands for itself.
        if isEscaped { pieces.append(.byte(UInt8(ascii: "\\"))) }
        self.pieces = pieces
    }

    /// The bytes that every matching key starts with. A scan needs to examine only keys with this prefix.
    public var literalPrefix: [UInt8] {
        var prefix: [UInt8] = []
        for case .byte(let byte) in pieces.prefix(while: { $0 != .one && $0 != .many }) { prefix.append(byte) }
        return prefix
    }

    /// Returns true if the whole of `key` matches this pattern.
    public func matches(_ key: some StoreKey) throws(StorageError) -> Bool {
        try key.withKeyBytes { (key) in matches(key) }
    }

    /// Matches greedily and backtracks only to the last `many` wildcard. Earlier ones never need a retry: if one of
    /// them took more bytes, the last one could take fewer and match the same rest.
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

    /// Returns the end of the character at `start`, after its UTF-8 continuation bytes.
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
