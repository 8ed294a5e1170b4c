public import Foundation

/// The classes that an archive may hold objects of: what is not listed is never made. Foundation's value classes
/// (strings, numbers, data, dates, URLs, UUIDs, `NSNull`, arrays, sets, ordered sets, dictionaries) need not be.
///
/// ```swift
/// let order = try orders.archived(Order.self, forKey: "42", allowing: [Line.self, Customer.self])
/// let old = try orders.archived(Order.self, forKey: "7", allowing: .init([Line.self], names: ["OldApp.Order": Order.self]))
/// ```
/// Subclasses have to be listed themselves. Classes must not be nested in other types: Foundation on Linux can't name
/// those.
public struct ArchivedClasses: Sendable {
    public typealias SecureClass = any (NSObject & NSSecureCoding).Type

    /// By the names that archives call them.
    let classes: [String: SecureClass]

    /// `names`: classes by names that archives know them by besides their own, because they were called so once, or are
    /// on another platform.
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
        /// What Foundation's reader is to accept: these, and the value classes.
        func all(with root: AnyClass) -> [AnyClass] {
            let values: [AnyClass] = [
                NSString.self, NSNumber.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self, NSNull.self,
                NSArray.self, NSSet.self, NSOrderedSet.self, NSDictionary.self,
            ]
            return values + classes.values.map { $0 as AnyClass } + [root]
        }
    #endif

    /// The name that an archiver writes; `nil` for classes that it can't name, at which Foundation on Linux would end
    /// the process.
    static func name(of item: AnyClass) -> String? {
        guard String(reflecting: item).split(separator: ".").count == 2 else { return nil }
        return NSStringFromClass(item)
    }
}

extension ArchivedClasses: ExpressibleByArrayLiteral {
    public init(arrayLiteral classes: SecureClass...) { self.init(classes) }
}
