package import ShaleBase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension CompactValue {
    /// Returns the value as a tree. UUIDs, URLs and integers of more than 64 bits become strings.
    ///
    /// The document's limits must have been checked: ``CompactCheck``.
    ///
    /// - Throws: `.corruption` for bytes that are not valid, for a name that occurs twice in an object, and for nesting
    ///   over ``CompactLimits/depthMax``.
    package func tree() throws(StorageError) -> StructuredValue { try tree(depth: 0) }

    /// Returns a document as a tree, after checking its limits.
    static func checkedTree(_ document: Bytes) throws(StorageError) -> StructuredValue {
        let value = try CompactValue(document: document)
        try CompactCheck.check(value)
        return try value.tree()
    }

    private func tree(depth: Int) throws(StorageError) -> StructuredValue {
        switch kind {
        case CompactKind.array:
            try requireDepth(depth)
            var elements: [StructuredValue] = []
            var offset = 0
            while offset < content.count { elements.append(try element(at: &offset).tree(depth: depth + 1)) }
            return .array(elements)
        case CompactKind.object:
            try requireDepth(depth)
            var members: [String: StructuredValue] = [:]
            var offset = 0
            while offset < content.count {
                let (name, value) = try field(at: &offset)
                guard members.updateValue(try value.tree(depth: depth + 1), forKey: name) == nil else {
                    throw .badDocument(ParseFailure("an object has a name twice"))
                }
            }
            return .dictionary(members)
        default: return try scalar()
        }
    }

    private func requireDepth(_ depth: Int) throws(StorageError) {
        guard depth < CompactLimits.depthMax else {
            throw .badDocument(ParseFailure("it is nested deeper than \(CompactLimits.depthMax) levels"))
        }
    }

    /// Reads the element at an offset of an array's content.
    func element(at offset: inout Int) throws(StorageError) -> CompactValue {
        do throws(ParseFailure) {
            return try CompactValue(in: content, at: &offset)
        } catch {
            throw .badDocument(error)
        }
    }

    private func scalar() throws(StorageError) -> StructuredValue {
        switch kind {
        case CompactKind.null: return .null
        case CompactKind.no: return .bool(false)
        case CompactKind.yes: return .bool(true)
        case CompactKind.double, CompactKind.float: return double().map { .double($0) } ?? .null
        case CompactKind.date: return try date().map { .date($0) } ?? .null
        case CompactKind.bytes: return .data(Data(copying: content.span))
        default: break
        }
        if let text = try string() { return .string(text) }
        if let number = integer(Int64.self) { return .int(number) }
        if let number = integer(UInt64.self) { return .unsigned(number) }
        return .string(wideText)
    }

    /// The digits of an integer of more than 64 bits.
    private var wideText: String {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return kindName }
        if let number = integer(Int128.self) { return "\(number)" }
        return integer(UInt128.self).map { "\($0)" } ?? kindName
    }
}
