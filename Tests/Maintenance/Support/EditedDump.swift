import Foundation
import Shale
import ShaleBase
import ShaleEngine
import ShalePlatform
import ShaleSimulation
import Testing

@testable import ShaleMaintenance

/// A dump of an encrypted store, as an attacker with the dump changes it.
struct EditedDump {
    static let encryption = StoreEncryption(cipher: SimpleCipher(), keys: SimpleKey())

    /// A line that describes a namespace.
    struct NamespaceLine {
        var members: [String: Any]

        /// The catalogue's fields: tag and bytes.
        var options: [(tag: UInt16, bytes: [UInt8])] {
            get {
                let bytes = (members["options64"] as? String).flatMap { Data(base64Encoded: $0) }.map(Array.init) ?? []
                var fields: [(UInt16, [UInt8])] = []
                var start = 0
                while start + 6 <= bytes.count {
                    let tag = UInt16(bytes[start]) | UInt16(bytes[start + 1]) << 8
                    let count = Int(bytes[start + 2]) | Int(bytes[start + 3]) << 8
                    fields.append((tag, Array(bytes[(start + 6)..<(start + 6 + count)])))
                    start += 6 + count
                }
                return fields
            }
            set {
                let bytes = newValue.flatMap { (tag, bytes) in
                    [UInt8(tag & 0xff), UInt8(tag >> 8), UInt8(bytes.count & 0xff), UInt8(bytes.count >> 8), 0, 0]
                        + bytes
                }
                members["options64"] = Data(bytes).base64EncodedString()
            }
        }
    }

    let files = SimulatedFileSystem(seed: 1)
    let time = ManualTime()
    private(set) var lines: [String] = []

    /// Dumps a store at `/store` after `fill` has written to it.
    init(_ fill: (Store) throws -> Void) throws {
        files.recordsOperations = false
        let store = try open("/store")
        try fill(store)
        try store.close()
        var text: [UInt8] = []
        _ = try Maintenance.dump(
            storeAt: "/store", engine: StoreScript.options(time), environment: EngineEnvironment(fileSystem: files)
        ) { (piece) throws(StorageError) in unsafe piece.withUnsafeBytes { unsafe text.append(contentsOf: $0) } }
        lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Takes the lines of another dump.
    init(lines: [String]) {
        files.recordsOperations = false
        self.lines = lines
    }

    func open(_ path: String, _ encryption: StoreEncryption? = EditedDump.encryption) throws(StorageError) -> Store {
        var options = Store.Options(encryption: encryption)
        options.engine = StoreScript.options(time)
        return try Store(
            at: path, options: options, environment: EngineEnvironment(fileSystem: files, scheduling: .inline))
    }

    /// Changes the lines of all namespaces that users see.
    mutating func editNamespaces(_ edit: (inout NamespaceLine) throws -> Void) throws {
        for (index, line) in lines.enumerated() where line.hasPrefix("{\"namespace\":") && line.contains("\"path\":") {
            let members = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            var edited = NamespaceLine(members: try #require(members))
            try edit(&edited)
            // The reader recognizes the line by its first member.
            let id = try #require(edited.members.removeValue(forKey: "namespace") as? Int)
            let rest = try JSONSerialization.data(withJSONObject: edited.members)
            lines[index] = "{\"namespace\":\(id)," + String(decoding: rest.dropFirst(), as: UTF8.self)
        }
    }

    mutating func replaceLines(_ lines: [String]) { self.lines = lines }

    mutating func removeLines(_ isRemoved: (String) -> Bool) { lines.removeAll(where: isRemoved) }

    @discardableResult
    func load(into path: String = "/loaded") throws(StorageError) -> UInt64 {
        var rest = [UInt8](lines.joined(separator: "\n").utf8)
        return try Maintenance.load(into: path, options: StoreScript.options(time), fileSystem: files) {
            defer { rest = [] }
            return rest
        }
    }

    /// Loads the lines and opens the store.
    func loaded(_ path: String = "/loaded") throws(StorageError) -> Store {
        try load(into: path)
        return try open(path)
    }

    /// Returns the first file below `path` that contains `text` in the clear.
    func file(below path: String, with text: String) -> String? {
        files.paths().first { name in
            name.hasPrefix(path) && (files.read(name).map { Data($0).range(of: Data(text.utf8)) != nil } ?? false)
        }
    }
}
