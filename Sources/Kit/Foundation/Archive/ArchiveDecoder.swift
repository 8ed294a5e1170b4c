#if !canImport(ObjectiveC)
    import Foundation
    import ShaleBase

    /// Makes objects from an archive that has been checked. On Linux it replaces Foundation's coder, which ends the
    /// process at an unexpected class.
    ///
    /// Value classes are made here. Other classes are made by their `init(coder:)`, only if they were listed. The first
    /// error is kept in ``failure``, and every value from then on is absent; classes see the same behaviour as with
    /// Foundation's coder and `decodingFailurePolicy` `.setErrorAndReturn`. Objects shared in the archive are shared in
    /// the result. Used by one thread, for one archive.
    final class ArchiveDecoder: ScalarDecoder {
        private let archive: KeyedArchive
        private let classes: ArchivedClasses
        /// The fields of the objects being made, the innermost last.
        private var frames: [[String: ArchivePart]] = []
        /// The classes requested for the objects being made, the innermost last.
        private var requests: [[AnyClass]] = []
        /// The objects made so far, by number.
        private var objects: [Int: NSObject] = [:]
        private(set) var failure: StorageError?

        init(_ archive: KeyedArchive, _ classes: ArchivedClasses) {
            self.archive = archive
            self.classes = classes
        }

        /// Returns the archived object; `nil` after a failure, or if `nil` was archived.
        func root<T: NSObject>(_ type: T.Type) -> T? {
            let listed = classes.classes.values.map { $0 as AnyClass }
            guard let object = decoded(archive.root, allowed: listed + [T.self], asked: [T.self]) else { return nil }
            return object as? T
        }

        override func fail(_ error: StorageError) {
            if failure == nil { failure = error }
        }

        /// Returns a field of the object being made.
        func field(_ key: String) -> ArchivePart? {
            guard failure == nil else { return nil }
            // Names with a dollar sign belong to the archive; the archiver adds a dollar sign to such names of classes.
            return frames.last?[key.hasPrefix("$") ? "$" + key : key]
        }

        override func scalar(_ key: String) -> StructuredValue? {
            guard let field = field(key) else { return nil }
            if case .reference(let number) = field, case .value(let value) = content(number) { return value }
            // The caller rejects a field that is not a value.
            return field.plain ?? .null
        }

        /// Returns the content of an object by its number.
        func content(_ object: Int) -> ArchivedContent { archive.contents[object] }

        /// The innermost list of requested classes.
        var request: [AnyClass] { requests.last ?? [] }

        // MARK: Objects

        /// Returns the object with this number if it is of one of the classes `asked`. Objects inside it may be of the
        /// classes `allowed` and of value classes.
        func decoded(_ number: Int, allowed: [AnyClass], asked: [AnyClass]) -> NSObject? {
            guard failure == nil else { return nil }
            if case .null = content(number) { return nil }
            requests.append(allowed)
            defer { requests.removeLast() }
            guard let object = object(number, asked) else { return nil }
            guard asked.contains(where: { object.isKind(of: $0) }) else {
                fail(.typeMismatch(stored: "\(type(of: object))", requested: names(asked)))
                return nil
            }
            return object
        }

        /// Returns an element of a collection: a value, or an object of a class that was requested with the collection.
        func element(_ number: Int) -> NSObject? {
            guard failure == nil else { return nil }
            return object(number, request)
        }

        private func object(_ number: Int, _ asked: [AnyClass]) -> NSObject? {
            if let made = objects[number] { return made }
            let made: NSObject?
            if case .object(let className, let fields) = content(number) {
                made = custom(className, fields, asked)
            } else {
                made = value(number, asked, archive)
            }
            objects[number] = made
            return made
        }

        private func custom(_ className: String, _ fields: [String: ArchivePart], _ asked: [AnyClass]) -> NSObject? {
            guard let item = classes.classes[className], asked.contains(where: { item.isSubclass(of: $0) }) else {
                fail(.typeMismatch(stored: className, requested: names(asked)))
                return nil
            }
            frames.append(fields)
            defer { frames.removeLast() }
            guard let object = item.init(coder: self) else {
                fail(StorageError(.codecFailure, "a class refused its archived fields class=\(className)"))
                return nil
            }
            return object
        }

        private func names(_ classes: [AnyClass]) -> String { classes.map { "\($0)" }.joined(separator: " or ") }

        // MARK: NSCoder

        override var allowsKeyedCoding: Bool { true }
        override var requiresSecureCoding: Bool { true }
        override var allowedClasses: [AnyClass]? { requests.last }
        override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
        override var error: (any Error)? { failure }

        override func failWithError(_ error: any Error) {
            fail(StorageError(.codecFailure, "a class refused its archived fields", cause: error))
        }

        override func containsValue(forKey key: String) -> Bool { field(key) != nil }

        /// Decodes without a list of classes: uses the classes that were requested with the enclosing object.
        override func decodeObject(forKey key: String) -> Any? { decodeObject(of: request, forKey: key) }

        override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
            let asked = classes ?? request
            switch field(key) {
            case nil: return nil
            case .reference(let number): return decoded(number, allowed: asked, asked: asked)
            default:
                fail(.typeMismatch(stored: "a plain value", requested: names(asked)))
                return nil
            }
        }

        override func decodeObject<T: NSObject & NSCoding>(of type: T.Type, forKey key: String) -> T? {
            decodeObject(of: [type], forKey: key) as? T
        }

        /// Decodes a property list that is stored in the object itself.
        override func decodePropertyList(forKey key: String) -> Any? {
            guard let field = field(key) else { return nil }
            if case .reference = field {
                let values = [NSString.self, NSNumber.self, NSData.self, NSDate.self, NSArray.self, NSDictionary.self]
                return decodeObject(of: values, forKey: key)
            }
            return field.plain.map { ArchiveDecoder.object($0) }
        }
    }

    extension ArchiveDecoder {
        /// Returns an object of one of Foundation's value classes. It is mutable if it was archived so, or if only the
        /// mutable class was requested.
        func value(_ number: Int, _ asked: [AnyClass], _ archive: KeyedArchive) -> NSObject? {
            switch content(number) {
            case .null, .object, .classDescription: return nil
            case .nullObject: return NSNull()
            case .value(let value): return ArchiveDecoder.object(value, asked)
            case .uuid(let bytes): return NSUUID(uuidString: KeyedArchive.uuid(bytes).uuidString)
            case .url: return url(number, archive)
            case .collection(let kind, let isMutable, let elements):
                return collection(kind, isMutable, elements.compactMap { element($0) })
            case .dictionary(let isMutable, let keys, let values):
                return dictionary(isMutable, keys.compactMap { element($0) }, values.compactMap { element($0) })
            }
        }

        private func url(_ number: Int, _ archive: KeyedArchive) -> NSObject? {
            guard let url = archive.url(number) else {
                fail(.corruption("a keyed archive is not valid: a URL is not valid"))
                return nil
            }
            return url as NSURL
        }

        private func collection(
            _ kind: ArchivedContent.Collection, _ isMutable: Bool, _ elements: [NSObject]
        ) -> NSObject {
            switch kind {
            case .array: isMutable ? NSMutableArray(array: elements) : NSArray(array: elements)
            case .set: isMutable ? NSMutableSet(array: elements) : NSSet(array: elements)
            case .orderedSet: isMutable ? NSMutableOrderedSet(array: elements) : NSOrderedSet(array: elements)
            }
        }

        private func dictionary(_ isMutable: Bool, _ keys: [NSObject], _ values: [NSObject]) -> NSObject? {
            // An element is `nil` that must not be, or decoding has failed already and that failure is kept.
            guard keys.count == values.count else {
                fail(.corruption("a keyed archive is not valid: a dictionary has different numbers of keys and values"))
                return nil
            }
            return isMutable
                ? NSMutableDictionary(objects: values, forKeys: keys) : NSDictionary(objects: values, forKeys: keys)
        }

        /// Converts a property list to objects.
        static func object(_ value: StructuredValue, _ asked: [AnyClass] = []) -> NSObject {
            func wants(_ mutable: AnyClass, _ plain: AnyClass) -> Bool {
                asked.contains { $0 == mutable } && !asked.contains { $0 == plain }
            }
            switch value {
            case .null: return NSNull()
            case .bool(let value): return NSNumber(value: value)
            case .int(let value): return NSNumber(value: value)
            case .unsigned(let value): return NSNumber(value: value)
            case .double(let value): return NSNumber(value: value)
            case .string(let value):
                return wants(NSMutableString.self, NSString.self)
                    ? NSMutableString(string: value) : NSString(string: value)
            case .date(let value): return value as NSDate
            case .data(let value):
                return wants(NSMutableData.self, NSData.self) ? NSMutableData(data: value) : NSData(data: value)
            case .array(let values): return NSArray(array: values.map { object($0) })
            case .dictionary(let members):
                return NSDictionary(
                    objects: members.values.map { object($0) }, forKeys: members.keys.map { NSString(string: $0) })
            }
        }
    }
#endif
