#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension Reflector {
    /// The name of an element of a collection in paths.
    private static let element = "[]"

    mutating func elements(_ mirror: Mirror) throws(ReflectionError) -> [ReflectedTree] {
        var elements: [ReflectedTree] = []
        elements.reserveCapacity(mirror.children.count)
        for child in mirror.children { elements.append(try tree(of: child.value, named: Reflector.element)) }
        return elements
    }

    /// Sorts a set's elements by their encoding: each process iterates a set in another order, but equal sets must give
    /// equal bytes.
    mutating func sortedElements(_ mirror: Mirror) throws(ReflectionError) -> [ReflectedTree] {
        var encodings: [(bytes: [UInt8], tree: ReflectedTree)] = []
        for tree in try elements(mirror) {
            do {
                encodings.append(([UInt8](try CodableCoder.encode(tree, as: .json)), tree))
            } catch {
                throw .unsupported(type: "\(mirror.subjectType)", path: place)
            }
        }
        return encodings.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map { $0.tree }
    }

    mutating func members(_ mirror: Mirror) throws(ReflectionError) -> [String: ReflectedTree] {
        var members: [String: ReflectedTree] = [:]
        for child in mirror.children {
            let pair = Mirror(reflecting: child.value).children.map { $0.value }
            guard pair.count == 2 else { throw .unsupported(type: "\(mirror.subjectType)", path: place) }
            let name = try memberName(pair[0])
            guard members.updateValue(try tree(of: pair[1], named: Reflector.element), forKey: name) == nil else {
                throw .duplicateName(path: place)
            }
        }
        return members
    }

    private func memberName(_ key: Any) throws(ReflectionError) -> String {
        if type(of: key) == AnyHashable.self, let box = key as? AnyHashable { return try memberName(box.base) }
        if let text = key as? String { return text }
        if let number = key as? any BinaryInteger { return "\(number)" }
        if let key = key as? any RawRepresentable { return try memberName(key.rawValue) }
        if let key = key as? UUID { return key.uuidString }
        let mirror = Mirror(reflecting: key)
        guard mirror.displayStyle == .enum, mirror.children.isEmpty else {
            throw .unsupported(type: "\(type(of: key))", path: place)
        }
        return try caseName(key)
    }

    mutating func tuple(_ mirror: Mirror) throws(ReflectionError) -> ReflectedTree {
        guard mirror.children.contains(where: { $0.label?.hasPrefix(".") == false }) else {
            return .array(try elements(mirror))
        }
        var members: [String: ReflectedTree] = [:]
        for (index, child) in mirror.children.enumerated() {
            let label = child.label.flatMap { $0.hasPrefix(".") ? nil : $0 } ?? "_\(index)"
            members[label] = try tree(of: child.value, named: label)
        }
        return .object(members)
    }
}
