package import Foundation
package import ShaleBase

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
