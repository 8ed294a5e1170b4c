#if SQLite
    import Foundation

    /// The encoding of a database's TEXT, as named by `PRAGMA encoding`.
    enum SQLiteEncoding: String {
        case utf8 = "UTF-8"
        case utf16LittleEndian = "UTF-16le"
        case utf16BigEndian = "UTF-16be"

        /// Returns the text of the bytes; `nil` if they are not valid in this encoding.
        func text(_ bytes: Data) -> String? {
            guard self != .utf8 else { return String(validating: bytes, as: UTF8.self) }
            guard bytes.count.isMultiple(of: 2) else { return nil }
            let bytes = [UInt8](bytes)
            let (high, low) = self == .utf16BigEndian ? (0, 1) : (1, 0)
            let units = stride(from: 0, to: bytes.count, by: 2).map {
                UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
            }
            return String(validating: units, as: UTF16.self)
        }
    }
#endif
