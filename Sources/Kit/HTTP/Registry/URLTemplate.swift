#if HTTP
    /// A template for the path and query of a URL: the part of RFC 6570 that paths and queries need.
    ///
    /// | expression | expands to |
    /// |---|---|
    /// | `{name}` | the value, percent-encoded; the texts of an array separated by commas |
    /// | `{?a,b}` | `?a=…&b=…`, without undefined values; nothing if none is defined |
    /// | `{&a,b}` | the same after an existing query |
    /// | `{?a*}` | one pair for each text of an array |
    struct URLTemplate: Sendable, Equatable {
        private enum Part: Sendable, Equatable {
            case text(String)
            case path(String)
            case query(separator: String, [Variable])
        }

        private struct Variable: Sendable, Equatable {
            let name: String
            let isExploded: Bool
        }

        private var parts: [Part] = []
        /// The names of the variables.
        private(set) var names: Set<String> = []

        /// Throws `.invalidEndpoint` for a template that does not begin with "/", or with an expression of another
        /// form.
        init(_ template: String) throws(HTTPCacheError) {
            guard template.hasPrefix("/") else { throw URLTemplate.failure("a template begins with /") }
            var rest = template[...]
            while let open = rest.firstIndex(of: "{") {
                guard let close = rest[open...].firstIndex(of: "}") else { throw URLTemplate.failure("a { has no }") }
                try appendText(rest[..<open])
                try appendExpression(rest[rest.index(after: open)..<close])
                rest = rest[rest.index(after: close)...]
            }
            try appendText(rest)
        }

        private static func failure(_ reason: String) -> HTTPCacheError { HTTPCacheError(.invalidEndpoint, reason) }

        private mutating func appendText(_ text: Substring) throws(HTTPCacheError) {
            guard text.utf8.allSatisfy({ 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "}") && $0 != UInt8(ascii: "#") })
            else {
                throw URLTemplate.failure("the text of a template is visible ASCII without } and #")
            }
            if !text.isEmpty { parts.append(.text(String(text))) }
        }

        private mutating func appendExpression(_ expression: Substring) throws(HTTPCacheError) {
            let isQuery = expression.hasPrefix("?") || expression.hasPrefix("&")
            let variables = (isQuery ? expression.dropFirst() : expression)
                .split(separator: ",", omittingEmptySubsequences: false)
                .map { Variable(name: String($0.hasSuffix("*") ? $0.dropLast() : $0), isExploded: $0.hasSuffix("*")) }
            for variable in variables {
                let isName =
                    !variable.name.isEmpty
                    && variable.name.utf8.allSatisfy { URLTemplate.isUnreserved($0) && $0 != UInt8(ascii: "~") }
                guard isName else { throw URLTemplate.failure("the name of a variable is not valid") }
                guard names.insert(variable.name).inserted else { throw URLTemplate.failure("a variable occurs twice") }
            }
            if isQuery {
                parts.append(.query(separator: String(expression.prefix(1)), variables))
            } else {
                guard variables.count == 1, !variables[0].isExploded else {
                    throw URLTemplate.failure("an expression of a path has one variable")
                }
                parts.append(.path(variables[0].name))
            }
        }

        /// Returns the path and query with these values.
        ///
        /// - Throws: `.invalidRequest` if a value of the path is undefined, empty, "." or "..": the path would be
        ///   another one.
        func expanded(_ values: (String) -> [String]) throws(HTTPCacheError) -> String {
            var result = ""
            for part in parts {
                switch part {
                case .text(let text): result += text
                case .path(let name):
                    let text = values(name).map(URLTemplate.encoded).joined(separator: ",")
                    guard !text.isEmpty, text != ".", text != ".." else {
                        throw HTTPCacheError(.invalidRequest, "the parameter \(name) is empty, or is no part of a path")
                    }
                    result += text
                case .query(let separator, let variables):
                    let pairs = variables.flatMap { URLTemplate.pairs($0, values($0.name)) }
                    if !pairs.isEmpty { result += separator + pairs.joined(separator: "&") }
                }
            }
            return result
        }

        private static func pairs(_ variable: Variable, _ texts: [String]) -> [String] {
            let encoded = texts.map(encoded)
            guard !encoded.isEmpty else { return [] }
            return (variable.isExploded ? encoded : [encoded.joined(separator: ",")]).map { variable.name + "=" + $0 }
        }

        private static func isUnreserved(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                true
            default: false
            }
        }

        private static let digits = Array("0123456789ABCDEF".utf8)

        private static func encoded(_ text: String) -> String {
            var bytes: [UInt8] = []
            for byte in text.utf8 {
                if isUnreserved(byte) {
                    bytes.append(byte)
                } else {
                    bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
#endif
