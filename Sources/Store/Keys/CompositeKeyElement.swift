#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A value that can be an element of a ``CompositeKey``. An application's type conforms by converting itself to one of
/// the kinds of ``CompositeKey/Element`` and back.
public protocol CompositeKeyElement: Sendable {
    /// The element as it is encoded.
    var compositeElement: CompositeKey.Element { get }

    /// Returns `nil` if the element is of another type, or does not fit into this one.
    init?(compositeElement element: CompositeKey.Element)
}

extension String: CompositeKeyElement {
    public var compositeElement: CompositeKey.Element { .string(self) }

    public init?(compositeElement element: CompositeKey.Element) {
        guard case .string(let value) = element else { return nil }
        self = value
    }
}

extension [UInt8]: CompositeKeyElement {
    public var compositeElement: CompositeKey.Element { .bytes(self) }

    public init?(compositeElement element: CompositeKey.Element) {
        guard case .bytes(let value) = element else { return nil }
        self = value
    }
}

extension Data: CompositeKeyElement {
    public var compositeElement: CompositeKey.Element { .bytes([UInt8](self)) }

    public init?(compositeElement element: CompositeKey.Element) {
        guard case .bytes(let value) = element else { return nil }
        self.init(value)
    }
}

extension Bool: CompositeKeyElement {
    public var compositeElement: CompositeKey.Element { .bool(self) }

    public init?(compositeElement element: CompositeKey.Element) {
        guard case .bool(let value) = element else { return nil }
        self = value
    }
}

extension Double: CompositeKeyElement {
    public var compositeElement: CompositeKey.Element { .double(self) }

    public init?(compositeElement element: CompositeKey.Element) {
        guard case .double(let value) = element else { return nil }
        self = value
    }
}

extension Float: CompositeKeyElement {
    public var compositeElement: CompositeKey.Element { .double(Double(self)) }

    /// Returns `nil` for a `Double` with more digits than a `Float` has.
    public init?(compositeElement element: CompositeKey.Element) {
        guard case .double(let value) = element else { return nil }
        guard !value.isNaN else {
            self = .nan
            return
        }
        self.init(exactly: value)
    }
}

extension UUID: CompositeKeyElement {
    public var compositeElement: CompositeKey.Element { .uuid(self) }

    public init?(compositeElement element: CompositeKey.Element) {
        guard case .uuid(let value) = element else { return nil }
        self = value
    }
}

extension Date: CompositeKeyElement {
    public var compositeElement: CompositeKey.Element { .date(self) }

    public init?(compositeElement element: CompositeKey.Element) {
        guard case .date(let value) = element else { return nil }
        self = value
    }
}

extension CompositeKey: CompositeKeyElement {
    public var compositeElement: Element { .key(self) }

    public init?(compositeElement element: Element) {
        guard case .key(let value) = element else { return nil }
        self = value
    }
}

/// All integers share one encoding, so a number can be read as any integer type that holds it.
extension CompositeKeyElement where Self: FixedWidthInteger {
    public var compositeElement: CompositeKey.Element {
        Int64(exactly: self).map { .int($0) } ?? .unsigned(UInt64(truncatingIfNeeded: self))
    }

    public init?(compositeElement element: CompositeKey.Element) {
        switch element {
        case .int(let value): self.init(exactly: value)
        case .unsigned(let value): self.init(exactly: value)
        default: return nil
        }
    }
}

extension Int: CompositeKeyElement {}
extension Int8: CompositeKeyElement {}
extension Int16: CompositeKeyElement {}
extension Int32: CompositeKeyElement {}
extension Int64: CompositeKeyElement {}
extension UInt: CompositeKeyElement {}
extension UInt8: CompositeKeyElement {}
extension UInt16: CompositeKeyElement {}
extension UInt32: CompositeKeyElement {}
extension UInt64: CompositeKeyElement {}
