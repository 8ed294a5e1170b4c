#if Encryption
    /// Addresses as text, for back ends whose names are text. Kept by them, do not change: letters, digits and `-._` stand for
    /// themselves, every other byte is `%` and two hexadecimal digits; before each part of a path is a `/`.
    enum PlainText {
        private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._".utf8)

        static func text(_ part: EntryKey) -> String {
            let digits = Array("0123456789abcdef".utf8)
            var text: [UInt8] = []
            for byte in part.bytes {
                text +=
                    plain.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
            return String(decoding: text, as: UTF8.self)
        }

        static func text(_ path: some Sequence<EntryKey>) -> String { path.map { "/" + text($0) }.joined() }

        /// `nil` for what ``text(_:)`` does not make: then it is somebody else's.
        static func part(_ text: some StringProtocol) -> EntryKey? {
            var bytes: [UInt8] = []
            var rest = Array(text.utf8)[...]
            while let byte = rest.popFirst() {
                if plain.contains(byte) {
                    bytes.append(byte)
                } else {
                    guard byte == UInt8(ascii: "%"), let high = digit(rest.popFirst()), let low = digit(rest.popFirst())
                    else { return nil }
                    bytes.append(high << 4 | low)
                }
            }
            return EntryKey(bytes)
        }

        static func path(_ text: String) -> [EntryKey]? {
            var path: [EntryKey] = []
            guard !text.isEmpty else { return path }
            guard text.first == "/" else { return nil }
            for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
                guard let part = self.part(part) else { return nil }
                path.append(part)
            }
            return path
        }

        private static func digit(_ byte: UInt8?) -> UInt8? {
            switch byte {
            case let byte? where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte): byte - UInt8(ascii: "0")
            case let byte? where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte): byte - UInt8(ascii: "a") + 10
            default: nil
            }
        }
    }
#endif
