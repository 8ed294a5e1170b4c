#if SQLite
    import Foundation
    import GRDB
    import ShaleBase

    /// What a row holds in a column: one of SQLite's storage classes.
    enum SQLiteCell {
        case null
        case integer(Int64)
        case real(Double)
        case text(String)
        case blob(Data)
        /// A TEXT that is none in the database's encoding.
        case invalidText

        static var notUnicode: StorageError { StorageError(.corruption, "a TEXT is not valid Unicode") }

        /// An expression for what ``init(_:isText:_:)`` takes. TEXT comes as bytes: GRDB would end it at its first NUL and
        /// repair what is not valid.
        static func expression(_ column: String) -> String {
            "typeof(\(column)) = 'text', CASE typeof(\(column)) WHEN 'text' THEN CAST(\(column) AS BLOB) ELSE \(column) END"
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
#endif
