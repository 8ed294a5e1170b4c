public import Foundation

/// The classes whose objects an archive may contain; objects of other classes are never made.
///
/// Foundation's value classes (strings, numbers, data, dates, URLs, UUIDs, `NSNull`, arrays, sets, ordered sets,
/// dictionaries) need not be listed.
///
/// ```swift
/// let order = try orders.archived(Order.self, forKey: "42", allowing: [Line.self, Customer.self])
/// let old = try orders.archived(
///     Order.self, forKey: "7", allowing: .init([Line.self], names: ["OldApp.Order": Order.self]))
/// ```
/// Subclasses have to be listed too. Classes must not be nested in other types, because Foundation on Linux can't name
/// those.
public struct ArchivedClasses: Sendable {
    public typealias SecureClass = any (NSObject & NSSecureCoding).Type

    /// The classes by their names in archives.
    let classes: [String: SecureClass]

    /// Lists classes. `names` maps further names in archives to classes, for classes that were renamed or have another
    /// name on another platform.
    public init(_ classes: [SecureClass], names: [String: SecureClass] = [:]) {
        var all = names
        for item in classes {
            if let name = ArchivedClasses.name(of: item) { all[name] = item }
        }
        self.classes = all
    }

    private init(_ classes: [String: SecureClass]) { self.classes = classes }

    func adding(_ item: SecureClass) -> ArchivedClasses {
        guard let name = ArchivedClasses.name(of: item) else { return self }
        return ArchivedClasses(classes.merging([name: item]) { listed, _ in listed })
    }

    #if canImport(ObjectiveC)
        /// Returns the classes for Foundation's reader: the listed ones and the value classes.
        func all(with root: AnyClass) -> [AnyClass] {
            let values: [AnyClass] = [
                NSString.self, NSNumber.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self, NSNull.self,
                NSArray.self, NSSet.self, NSOrderedSet.self, NSDictionary.self,
            ]
            return values + classes.values.map { $0 as AnyClass } + [root]
        }
    #endif

    /// Returns the name that an archiver writes; `nil` for a class that it can't name. Foundation on Linux would end
    /// the process at such a class.
    static func name(of item: AnyClass) -> String? {
        guard String(reflecting: item).split(separator: ".").count == 2 else { return nil }
        return NSStringFromClass(item)
    }
}

extension ArchivedClasses: ExpressibleByArrayLiteral {
    public init(arrayLiteral classes: SecureClass...) { self.init(classes) }
}
