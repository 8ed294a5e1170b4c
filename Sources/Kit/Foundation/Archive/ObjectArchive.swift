public import Foundation
package import ShaleBase

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

/// Converts between objects and the bytes of their archives.
package enum ObjectArchive {
    /// Returns the keyed archive of an object. Throws if it could not be read back: cycles, depth over 64, too many
    /// parts.
    package static func encode(_ object: any NSObject & NSSecureCoding) throws(StorageError) -> Data {
        guard ArchivedClasses.name(of: type(of: object)) != nil else {
            throw .invalid("a class that is nested in another type can't be archived class=\(type(of: object))")
        }
        let payload: Data
        do {
            payload = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        } catch {
            throw StorageError(.codecFailure, "a \(type(of: object)) can't be archived", cause: error)
        }
        do throws(StorageError) {
            _ = try KeyedArchive(payload.bytes)
        } catch {
            throw StorageError(.codecFailure, "an archive could not be read back", cause: error)
        }
        return payload
    }

    /// Returns the object in a keyed archive.
    ///
    /// - Throws: `.corruption` if the bytes are no valid archive; `.typeMismatch` if it contains an object of a class
    ///   that is not listed or not the requested one; `.codecFailure` if a class rejects its fields.
    package static func decode<T: NSObject>(
        _ type: T.Type, _ payload: Data, _ classes: ArchivedClasses
    ) throws(StorageError) -> T {
        let archive = try KeyedArchive(payload.bytes)
        let classes = (type as? ArchivedClasses.SecureClass).map { classes.adding($0) } ?? classes
        for name in archive.classNames.sorted() where classes.classes[name] == nil {
            throw .typeMismatch(stored: String(name.prefix(200)), requested: "\(T.self), with no such class allowed")
        }
        return try decode(type, archive, payload, classes)
    }

    /// Returns the objects of an array in a keyed archive. An element of another class also throws `.typeMismatch`.
    static func decodeAll<T: NSObject & NSSecureCoding>(
        _ type: T.Type, _ payload: Data, _ classes: ArchivedClasses
    ) throws(StorageError) -> [T] {
        let array = try decode(NSArray.self, payload, classes.adding(type))
        var objects: [T] = []
        for element in array {
            guard let object = element as? T else {
                throw .typeMismatch(stored: "an array with another class in it", requested: "[\(T.self)]")
            }
            objects.append(object)
        }
        return objects
    }

    #if canImport(ObjectiveC)
        /// Decodes with Foundation's reader, which on Apple platforms reports what it does not expect.
        private static func decode<T: NSObject>(
            _ type: T.Type, _ archive: KeyedArchive, _ payload: Data, _ classes: ArchivedClasses
        ) throws(StorageError) -> T {
            do {
                let decoder = try NSKeyedUnarchiver(forReadingFrom: payload)
                decoder.requiresSecureCoding = true
                decoder.decodingFailurePolicy = .setErrorAndReturn
                for (name, item) in classes.classes { decoder.setClass(item, forClassName: name) }
                let object = decoder.decodeObject(of: classes.all(with: T.self), forKey: NSKeyedArchiveRootObjectKey)
                if let error = decoder.error { throw error }
                guard let object = object as? T else {
                    throw StorageError.typeMismatch(stored: "another class", requested: "\(T.self)")
                }
                return object
            } catch let error as StorageError {
                throw error
            } catch {
                throw StorageError(.codecFailure, "an archive does not decode to \(T.self)", cause: error)
            }
        }
    #else
        /// Decodes with our own coder: Foundation's ends the process at an unexpected class.
        private static func decode<T: NSObject>(
            _ type: T.Type, _ archive: KeyedArchive, _ payload: Data, _ classes: ArchivedClasses
        ) throws(StorageError) -> T {
            let decoder = ArchiveDecoder(archive, classes)
            let object = decoder.root(T.self)
            if let failure = decoder.failure { throw failure }
            guard let object else { throw .typeMismatch(stored: "nil", requested: "\(T.self)") }
            return object
        }
    #endif
}
