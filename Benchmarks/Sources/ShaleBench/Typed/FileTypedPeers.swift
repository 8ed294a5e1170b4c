import Foundation
import Posix

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

/// Foundation's UserDefaults. Outside Apple's platforms only `synchronize` writes, and it writes the whole file. That
/// is the cost of a set that survives the death of the process.
final class UserDefaultsTypedPeer: TypedPeer {
    static let summary =
        "typed job only: a suite of its own; synchronize after every set, without which nothing is written on Linux; a "
        + "measurement ends after 5 s"

    private static let suite = "shale-bench"

    private let directory: String
    private var defaults: UserDefaults?

    /// Makes a peer whose file lies in the home directory, which is set to the store's directory before the first use
    /// of UserDefaults.
    init(path: String) { directory = path }

    private var opened: UserDefaults {
        get throws {
            guard let defaults else { throw BenchError("userdefaults is closed") }
            return defaults
        }
    }

    func open() throws {
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        guard unsafe setenv("HOME", directory, 1) == 0 else { throw SystemCallError("setenv", "HOME") }
        guard let defaults = UserDefaults(suiteName: UserDefaultsTypedPeer.suite) else {
            throw BenchError("UserDefaults refuses the suite")
        }
        self.defaults = defaults
    }

    func close() throws {
        try flush()
        defaults = nil
    }

    func flush() throws {
        guard try opened.synchronize() else { throw BenchError("UserDefaults could not write its file") }
    }

    let secondsMax = 5.0

    /// False: the process keeps what it has read, so a second opening would cost nothing.
    let hasOpening = false

    func set(_ value: TypedValue, forKey key: String) throws {
        let defaults = try opened
        switch value {
        case .int(let value): defaults.set(value, forKey: key)
        case .bool(let value): defaults.set(value, forKey: key)
        case .double(let value): defaults.set(value, forKey: key)
        case .text(let value): defaults.set(value, forKey: key)
        }
        try flush()
    }

    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue? {
        let defaults = try opened
        return switch kind {
        case .int: .int(defaults.integer(forKey: key))
        case .bool: .bool(defaults.bool(forKey: key))
        case .double: .double(defaults.double(forKey: key))
        case .text: defaults.string(forKey: key).map { .text($0) }
        }
    }
}
