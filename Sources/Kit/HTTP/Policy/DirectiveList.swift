#if HTTP
    /// A directive of `Cache-Control`: a name and possibly an argument.
    struct Directive: Equatable {
        /// In lower case.
        var name: String
        /// The argument without quotes; `nil` if there is none. An argument that breaks the grammar is kept as it
        /// stands, so that it is no number.
        var argument: String?
    }

    /// The directives of `Cache-Control` (RFC 9111, section 5.2): a list of names with arguments, each of which may be
    /// a token or a quoted string. The field is older than structured fields and has a grammar of its own: a parser of
    /// structured fields refuses the whole field for one directive that breaks its rules.
    enum DirectiveList {
        /// Returns the directives of a field's lines, in order. Elements without a name are left out.
        static func parse(_ lines: [String]) -> [Directive] {
            lines.flatMap { elements($0).compactMap(directive) }
        }

        /// Returns the elements of a list, separated by commas outside of quoted strings, without surrounding blanks.
        static func elements(_ line: String) -> [ArraySlice<UInt8>] {
            var elements: [ArraySlice<UInt8>] = []
            let bytes = Array(line.utf8)
            var start = 0
            var isQuoted = false
            var isEscaped = false
            for (index, byte) in bytes.enumerated() {
                if isEscaped {
                    isEscaped = false
                } else if isQuoted, byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted.toggle()
                } else if byte == UInt8(ascii: ","), !isQuoted {
                    elements.append(trimmed(bytes[start..<index]))
                    start = index + 1
                }
            }
            elements.append(trimmed(bytes[start...]))
            return elements.filter { !$0.isEmpty }
        }

        private static func directive(_ element: ArraySlice<UInt8>) -> Directive? {
            let name = element.prefix { $0 != UInt8(ascii: "=") }
            guard !trimmed(name).isEmpty else { return nil }
            let lower = String(decoding: trimmed(name), as: UTF8.self).lowercased()
            guard name.count < element.count else { return Directive(name: lower) }
            // Blanks around "=" are against the grammar. They stay, so that the argument is no number.
            let blanks = name.count == trimmed(name).count ? "" : " "
            let argument = element.dropFirst(name.count + 1)
            let text = unquoted(argument) ?? String(decoding: argument, as: UTF8.self)
            return Directive(name: lower, argument: blanks + text)
        }

        /// Returns the content of a quoted string; `nil` if the bytes are none.
        private static func unquoted(_ bytes: ArraySlice<UInt8>) -> String? {
            guard bytes.count >= 2, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") else {
                return nil
            }
            var content: [UInt8] = []
            var isEscaped = false
            for byte in bytes.dropFirst().dropLast() {
                if !isEscaped, byte == UInt8(ascii: "\\") {
                    isEscaped = true
                    continue
                }
                if !isEscaped, byte == UInt8(ascii: "\"") { return nil }
                isEscaped = false
                content.append(byte)
            }
            return String(decoding: content, as: UTF8.self)
        }

        private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
            var rest = bytes
            while let first = rest.first, first == 0x20 || first == 0x09 { rest.removeFirst() }
            while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
            return rest
        }
    }

    /// Numbers of seconds (RFC 9111, section 1.2.2).
    enum DeltaSeconds {
        /// The number that every larger number counts as: 2³¹, 68 years.
        static let max: Int64 = 1 << 31

        /// Returns the number that a text of digits stands for; `nil` for any other text.
        static func parse(_ text: some StringProtocol) -> Int64? {
            guard !text.isEmpty else { return nil }
            var seconds: Int64 = 0
            for byte in text.utf8 {
                guard 0x30...0x39 ~= byte else { return nil }
                seconds = min(max, seconds * 10 + Int64(byte - 0x30))
            }
            return seconds
        }
    }
#endif
