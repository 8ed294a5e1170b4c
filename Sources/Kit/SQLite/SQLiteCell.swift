#if SQLite
    import Foundation
    import GRDB
    import ShaleBase

    /// The value of a row in a column: one of SQLite's storage classes.
    enum SQLiteCell {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)
        /// A TEXT that is not valid in the database's encoding.
        case invalidText

        static var notUnicode: StorageError { StorageError(.corruption, "a TEXT value is not valid Unicode") }

        /// Returns an SQL expression whose result ``init(_:isText:_:)`` takes. TEXT is read as bytes: GRDB would cut it
        /// at its first NUL and replace invalid characters.
        static func expression(_ column: String) -> String {
            "typeof(\(column)) = 'text', CASE typeof(\(column)) WHEN 'text' THEN CAST(\(column) AS BLOB) ELSE "
                + "\(column) END"
        }

        init(_ value: DatabaseValue, isText: Bool, _ encoding: SQLiteEncoding) {
            switch value.storage {
            case .null: self = .null
            case .int64(let number): self = .integer(number)
            case .double(let number): self = .real(number)
            case .string(let text): self = .text(text)
            case .blob(let bytes):
                if isText {
                    self = encoding.text(bytes).map { .text($0) } ?? .invalidText
                } else {
                    self = .blob(bytes)
                }
            }
        }
    }

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
