import ShaleBase
import ShalePlatform

/// What makes a data directory one installation and not another: random, made once, gone with the directory. Copies of the
/// directory are the same installation.
///
/// Kept as the options of a namespace of the store's own. On disk, do not change: 1 u8 | id 16 | secret 32.
package struct InstallGeneration: Sendable {
    static let namespaceName = NamespaceName.internalName("install")
    private static let format: UInt8 = 1
    private static let idBytes = 16

    /// Tells installations apart. No secret.
    package let id: [UInt8]
    /// For keys of what must not outlast the installation.
    package let secret: SecretKey

    init(_ record: [UInt8]) throws(StorageError) {
        guard record.first == InstallGeneration.format else {
            if let format = record.first, format != 0 {
                throw StorageError(.newerFormat, "the record of the installation has format \(format)")
            }
            throw .corruption("the record of the installation is empty")
        }
        guard record.count == 1 + InstallGeneration.idBytes + SecretKey.byteCount else {
            throw .corruption("the record of the installation is \(record.count) bytes")
        }
        id = Array(record[1...InstallGeneration.idBytes])
        var bits = Array(record[(1 + InstallGeneration.idBytes)...])
        secret = try SecretKey(wiping: &bits)
    }

    fileprivate static func freshRecord() throws(StorageError) -> [UInt8] {
        do throws(IOFailure) {
            return [format] + (try SecretMemory.randomBytes(idBytes + SecretKey.byteCount))
        } catch {
            throw error.storageError
        }
    }
}

extension Store {
    /// This installation, made at the first call and durable when it returns. Errors: those of creating a namespace;
    /// `.corruption`, `.newerFormat`.
    package func installGeneration() throws(StorageError) -> InstallGeneration {
        try core.requireOpen()
        let name = InstallGeneration.namespaceName
        if let found = engine.namespace(named: name) { return try InstallGeneration(found.options) }
        // Name and record are one edit. Perhaps somebody was faster: then it is his that counts.
        try engine.createNamespace(named: name, options: try InstallGeneration.freshRecord())
        return try installGeneration()
    }
}
