import ShaleBase

extension ArchivedContent {
    /// Parses one element of an archive's list of objects. `classNames` maps the number of each class description to
    /// the name of the class.
    init(_ part: ArchivePart, classNames: [Int: String]) throws(ParseFailure) {
        guard case .dictionary(var fields) = part, let reference = fields.removeValue(forKey: "$class") else {
            self = try ArchivedContent(plain: part)
            return
        }
        guard case .reference(let number) = reference, let className = classNames[number] else {
            throw ParseFailure("an object has no class")
        }
        self = try ArchivedContent(className, fields)
    }

    /// Returns the name of a class; `nil` unless `part` describes a class.
    static func className(_ part: ArchivePart) throws(ParseFailure) -> String? {
        guard case .dictionary(let fields) = part, fields["$class"] == nil, let name = fields["$classname"] else {
            return nil
        }
        guard let name = name.text, !name.isEmpty else { throw ParseFailure("a class has no name") }
        return name
    }

    private init(plain part: ArchivePart) throws(ParseFailure) {
        if let name = try ArchivedContent.className(part) {
            self = .classDescription(name: name)
        } else if part.text == "$null" {
            self = .null
        } else if let value = part.plain {
            self = .value(value)
        } else {
            throw ParseFailure("an object has no class")
        }
    }

    private init(_ className: String, _ fields: [String: ArchivePart]) throws(ParseFailure) {
        switch className {
        case "NSNull": self = .nullObject
        case "NSString", "NSMutableString": self = .value(try ArchivedContent.string(fields))
        case "NSData", "NSMutableData": self = .value(try ArchivedContent.data(fields))
        case "NSNumber": self = .value(try ArchivedContent.number(fields))
        case "NSDate": self = .value(try ArchivedContent.date(fields))
        case "NSUUID": self = try ArchivedContent.uuid(fields)
        case "NSURL": self = try ArchivedContent.url(fields)
        case "NSArray": self = try ArchivedContent.collection(.array, false, fields)
        case "NSMutableArray": self = try ArchivedContent.collection(.array, true, fields)
        case "NSSet": self = try ArchivedContent.collection(.set, false, fields)
        case "NSMutableSet": self = try ArchivedContent.collection(.set, true, fields)
        case "NSOrderedSet": self = try ArchivedContent.collection(.orderedSet, false, fields)
        case "NSMutableOrderedSet": self = try ArchivedContent.collection(.orderedSet, true, fields)
        case "NSDictionary": self = try ArchivedContent.dictionary(false, fields)
        case "NSMutableDictionary": self = try ArchivedContent.dictionary(true, fields)
        default: self = .object(className: className, fields: fields)
        }
    }
}
