import Foundation
import Posix

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
