import Shale
import ShaleEngine

/// Opens stores for the command.
enum StoreAccess {
    /// Opens a store. `asks`: if `keys` name no key and the store needs one, the user at the terminal is asked for a
    /// passphrase.
    static func open(
        _ path: String, _ mode: Engine.Options.Mode, _ keys: KeyOptions? = nil, asks: Bool = false
    ) throws -> Store {
        try open(path, mode, encryption: try keys?.encryption(asks: asks))
    }

    static func open(
        _ path: String, _ mode: Engine.Options.Mode, encryption: StoreEncryption?
    ) throws(StorageError) -> Store {
        var options = Store.Options()
        options.engine.mode = mode
        options.encryption = encryption
        return try Store(at: path, options: options)
    }

    static func openEngine(_ path: String, _ mode: Engine.Options.Mode) throws(StorageError) -> Engine {
        var options = Engine.Options()
        options.mode = mode
        return try Engine.open(at: path, options: options)
    }
}

extension Store {
    /// Returns the namespace at `path`, whether or not it exists.
    func namespace(_ path: NamespacePath) -> Store.Namespace {
        let space = path.user.map { user($0) } ?? common
        return path.components.dropFirst().reduce(space[path.components[0]]) { $0.child($1) }
    }

    /// Returns the namespace at `path`, which must exist.
    func existingNamespace(_ path: NamespacePath) throws -> Store.Namespace {
        let namespace = namespace(path)
        guard try namespace.exists else { throw ToolFailure.notFound("there is no namespace \(path.text)") }
        return namespace
    }

    /// Returns the engine's id of the namespace at `path`; `nil` if it does not exist.
    func identifier(of path: NamespacePath) -> NamespaceID? {
        engine.namespace(named: path.catalogueName)?.id
    }
}

extension Store.Namespace {
    /// The namespace's name as in arguments.
    var displayName: String { NamespacePath(user: space.userID, components: path).text }
}

/// Converts between paths and the names in the engine's catalogue: Shale.docc, "Names and options of namespaces".
extension NamespacePath {
    var catalogueName: [UInt8] {
        var bytes: [UInt8] = user == nil ? [1] : [2]
        for part in (user.map { [$0] } ?? []) + components {
            let text = Array(part.utf8)
            bytes += [UInt8(truncatingIfNeeded: text.count), UInt8(truncatingIfNeeded: text.count >> 8)] + text
        }
        return bytes
    }

    /// Returns `nil` for a namespace that was created with the raw engine.
    init?(catalogueName bytes: [UInt8]) {
        var parts: [String] = []
        var rest = bytes.dropFirst()
        while !rest.isEmpty {
            guard rest.count >= 2 else { return nil }
            let length = Int(rest[rest.startIndex]) | Int(rest[rest.startIndex + 1]) << 8
            rest = rest.dropFirst(2)
            guard rest.count >= length, let part = String(validating: rest.prefix(length), as: UTF8.self) else {
                return nil
            }
            parts.append(part)
            rest = rest.dropFirst(length)
        }
        switch bytes.first {
        case 1 where !parts.isEmpty: self.init(user: nil, components: parts)
        case 2 where parts.count >= 2: self.init(user: parts[0], components: Array(parts.dropFirst()))
        default: return nil
        }
    }
}
