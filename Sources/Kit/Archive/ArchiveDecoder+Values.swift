#if !canImport(ObjectiveC)
    import Foundation
    import ShaleBase

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
