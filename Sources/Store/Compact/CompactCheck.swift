import ShaleBase

/// Checks that a value in a compact document is valid and within the limits, before anything is decoded from it.
///
/// The check uses no recursion, and two numbers of memory for each level.
///
/// - Complexity: O(bytes).
struct CompactCheck {
    private let bytes: Bytes
    private var offset = 0
    private var valueCount = 1
    /// The ends of the open containers, innermost last, with true for objects.
    private var open: [(end: Int, isObject: Bool)] = []

    private init(_ bytes: Bytes) { self.bytes = bytes }

    /// Throws `.corruption` if `document` is not valid or exceeds the limits. The error contains nothing of the
    /// document.
    static func check(_ document: Bytes) throws(StorageError) { try check(try CompactValue(document: document)) }

    static func check(_ value: CompactValue) throws(StorageError) {
        do throws(ParseFailure) {
            var check = CompactCheck(value.content)
            try check.enter(value)
            try check.run()
        } catch {
            throw .badDocument(error)
        }
    }

    private mutating func run() throws(ParseFailure) {
        while let (end, isObject) = open.last {
            guard offset < end else {
                open.removeLast()
                continue
            }
            if isObject {
                let name = try next(end)
                guard name.isText else { throw ParseFailure("a name is no text") }
                try requireText(name)
            }
            let value = try next(end)
            offset -= value.content.count
            try enter(value)
        }
    }

    /// Checks a value whose content is at the offset. Opens a container, and moves behind anything else.
    private mutating func enter(_ value: CompactValue) throws(ParseFailure) {
        let end = offset + value.content.count
        switch value.kind {
        case CompactKind.array, CompactKind.object:
            guard open.count < CompactLimits.depthMax else {
                throw ParseFailure("it is nested deeper than \(CompactLimits.depthMax) levels")
            }
            open.append((end, value.isObject))
            return
        case CompactKind.date:
            guard !Double(bitPattern: value.content.u64(at: 0)).isNaN else {
                throw ParseFailure("a date is not a number")
            }
        case CompactKind.url: try requireText(value)
        default: if value.isText { try requireText(value) }
        }
        offset = end
    }

    private mutating func next(_ end: Int) throws(ParseFailure) -> CompactValue {
        valueCount += 1
        guard valueCount <= CompactLimits.valuesMax else { throw ParseFailure("it has more than 2^22 values") }
        return try CompactValue(in: bytes.slice(0, end), at: &offset)
    }

    private func requireText(_ value: CompactValue) throws(ParseFailure) {
        guard unsafe String(validating: value.content.buffer, as: UTF8.self) != nil else {
            throw ParseFailure("a text is not UTF-8")
        }
    }
}
