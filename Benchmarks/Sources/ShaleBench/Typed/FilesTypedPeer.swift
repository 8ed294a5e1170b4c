import Foundation

/// A file per key, replaced atomically, with the value in a keyed archive: a common substitute for a store.
final class FilesTypedPeer: TypedPeer {
    static let summary =
        "typed job only: a file per key, written atomically (a temporary file and a rename, no sync), NSKeyedArchiver"

    private let directory: URL

    init(path: String) { directory = URL(filePath: path) }

    func open() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    func close() throws {}

    let hasOpening = false

    /// Syncs the whole system: the files are already in the page cache.
    func flush() throws { sync() }

    func set(_ value: TypedValue, forKey key: String) throws {
        let object: NSObject =
            switch value {
            case .int(let value): NSNumber(value: value)
            case .bool(let value): NSNumber(value: value)
            case .double(let value): NSNumber(value: value)
            case .text(let value): NSString(string: value)
            }
        let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
        try data.write(to: directory.appending(component: key), options: .atomic)
    }

    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue? {
        let data = try Data(contentsOf: directory.appending(component: key))
        if kind == .text {
            let text = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSString.self, from: data)
            return text.map { .text($0.description) }
        }
        guard let number = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSNumber.self, from: data) else {
            return nil
        }
        return switch kind {
        case .int: .int(number.intValue)
        case .bool: .bool(number.boolValue)
        case .double, .text: .double(number.doubleValue)
        }
    }
}
