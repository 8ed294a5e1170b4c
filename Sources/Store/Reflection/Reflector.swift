#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts a value to a tree of its parts with `Mirror`.
///
/// | value | becomes |
/// |---|---|
/// | number, string, `Bool`, date, data, UUID, URL | its `Codable` encoding |
/// | other structs and enums that are `Encodable` | their own encoding |
/// | enum or struct with a raw value | the raw value |
/// | case without a payload | its name |
/// | case with a payload | an object: its name, and below it the payload's labels (`_0`, `_1` … if unlabelled) |
/// | struct, class | an object of its stored properties, those of superclasses included; `nil` is left out |
/// | tuple | an array; an object if it has labels |
/// | array, set | an array; a set's elements in the order of their encodings |
/// | dictionary | an object; keys are text, integers, UUIDs, raw values of these, or names of cases |
///
/// Objects of classes are always reflected, even if they are `Encodable`: an inherited `encode(to:)` would leave out
/// the properties of a subclass. A reflector is for one value.
struct Reflector {
    /// The maximum nesting of values.
    static let depthMax = 64
    /// The maximum number of parts of a value. A shared object counts once for each occurrence.
    static let partsMax = 1 << 20

    private let partsMax: Int
    /// The names down to the current part, for errors.
    private(set) var path: [String] = []
    private var partCount = 0
    /// The objects that contain the current part.
    private var openObjects: Set<ObjectIdentifier> = []

    init(partsMax: Int = Reflector.partsMax) { self.partsMax = partsMax }

    mutating func tree(of value: Any) throws(ReflectionError) -> ReflectedTree {
        partCount += 1
        guard partCount <= partsMax else { throw .tooLarge }
        guard path.count < Reflector.depthMax else { throw .tooDeep(path: pathText) }
        if let scalar = value as? any ReflectedScalar { return .leaf(scalar) }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            guard let wrapped = mirror.children.first?.value else { return .null }
            return try tree(of: wrapped)
        case .class: return try object(value as AnyObject, mirror)
        case .collection: return .array(try elements(mirror))
        case .set: return .array(try sortedElements(mirror))
        case .dictionary: return .object(try members(mirror))
        case .tuple: return try tuple(mirror)
        default: return try other(value, mirror)
        }
    }

    /// The path as text, for errors.
    var pathText: String { path.isEmpty ? "." : path.joined(separator: ".") }

    /// Returns the tree of a part of the current value.
    mutating func tree(of value: Any, named name: String) throws(ReflectionError) -> ReflectedTree {
        path.append(name)
        let result = try tree(of: value)
        path.removeLast()
        return result
    }

    // MARK: Structs, enums, classes

    private mutating func other(_ value: Any, _ mirror: Mirror) throws(ReflectionError) -> ReflectedTree {
        // Any hashable value can be cast to `AnyHashable`, so the cast alone proves nothing.
        if type(of: value) == AnyHashable.self, let box = value as? AnyHashable { return try tree(of: box.base) }
        if let value = value as? any Encodable { return .leaf(value) }
        if let value = value as? any RawRepresentable { return try tree(of: value.rawValue) }
        switch mirror.displayStyle {
        case .struct: return .object(try properties(mirror))
        case .enum: return try enumeration(value, mirror)
        default: throw .unsupported(type: "\(type(of: value))", path: pathText)
        }
    }

    private mutating func object(_ object: AnyObject, _ mirror: Mirror) throws(ReflectionError) -> ReflectedTree {
        let identity = ObjectIdentifier(object)
        guard openObjects.insert(identity).inserted else { throw .cycle(path: pathText) }
        let properties = try properties(mirror)
        openObjects.remove(identity)
        return .object(properties)
    }

    private mutating func properties(_ mirror: Mirror) throws(ReflectionError) -> [String: ReflectedTree] {
        var members: [String: ReflectedTree] = [:]
        var level: Mirror? = mirror
        while let current = level {
            for (label, value) in current.children {
                let name = Reflector.propertyName(label ?? "")
                let tree = try tree(of: value, named: name)
                if case .null = tree { continue }
                guard members.updateValue(tree, forKey: name) == nil else {
                    throw .duplicateName(path: (path + [name]).joined(separator: "."))
                }
            }
            level = current.superclassMirror
        }
        return members
    }

    /// Returns the name of a property. The compiler stores lazy properties under a prefixed name.
    private static func propertyName(_ label: String) -> String {
        let lazyPrefix = "$__lazy_storage_$_"
        return label.hasPrefix(lazyPrefix) ? String(label.dropFirst(lazyPrefix.count)) : label
    }

    /// Encodes an enum as the compiler's `Codable` does, except that a case without a payload is only its name.
    private mutating func enumeration(_ value: Any, _ mirror: Mirror) throws(ReflectionError) -> ReflectedTree {
        guard let child = mirror.children.first else { return .leaf(try caseName(value)) }
        let name = child.label ?? ""
        let payload = Mirror(reflecting: child.value)
        guard payload.displayStyle == .tuple else {
            return .object([name: .object(["_0": try tree(of: child.value, named: name)])])
        }
        var labels: [String: ReflectedTree] = [:]
        for (index, part) in payload.children.enumerated() {
            let label = part.label.flatMap { $0.hasPrefix(".") ? nil : $0 } ?? "_\(index)"
            labels[label] = try tree(of: part.value, named: name)
        }
        return .object([name: .object(labels)])
    }

    /// Returns the name of a case: the text that an enum prints as, unless it customizes its description.
    func caseName(_ value: Any) throws(ReflectionError) -> String {
        if value is any CustomStringConvertible || value is any CustomDebugStringConvertible
            || value is any TextOutputStreamable
        {
            throw .unsupported(type: "\(type(of: value))", path: pathText)
        }
        return String(describing: value)
    }
}

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
                throw .unsupported(type: "\(mirror.subjectType)", path: pathText)
            }
        }
        return encodings.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }.map { $0.tree }
    }

    mutating func members(_ mirror: Mirror) throws(ReflectionError) -> [String: ReflectedTree] {
        var members: [String: ReflectedTree] = [:]
        for child in mirror.children {
            let pair = Mirror(reflecting: child.value).children.map { $0.value }
            guard pair.count == 2 else { throw .unsupported(type: "\(mirror.subjectType)", path: pathText) }
            let name = try memberName(pair[0])
            guard members.updateValue(try tree(of: pair[1], named: Reflector.element), forKey: name) == nil else {
                throw .duplicateName(path: pathText)
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
            throw .unsupported(type: "\(type(of: key))", path: pathText)
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
