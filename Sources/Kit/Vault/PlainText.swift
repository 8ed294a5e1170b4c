#if Encryption
    import ShaleBase

    /// Addresses as text, for back ends whose names are text. Stored there, do not change: letters, digits and `-._`
    /// stand for themselves, every other byte is `%` and two hexadecimal digits. A `/` precedes each part of a path.
    enum PlainText {
        private static let escaped = EscapedText(
            mark: "%", plain: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._")

        static func text(_ part: EntryKey) -> String { escaped.text(part.bytes) }

        static func text(_ path: some Sequence<EntryKey>) -> String { path.map { "/" + text($0) }.joined() }

        /// Returns `nil` for text that ``text(_:)`` does not produce; it is then not ours.
        static func part(_ text: some StringProtocol) -> EntryKey? { escaped.bytes(text).map { EntryKey($0) } }

        /// Returns `nil` for text that ``text(_:)`` does not produce.
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
    }
#endif
