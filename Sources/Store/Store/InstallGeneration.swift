import ShaleBase
import ShalePlatform

/// The identity of one installation, in a random record made once for each data directory. It is removed with the
/// directory. A copy of the directory is the same installation.
///
/// The record is the options of an internal namespace. On disk, do not change: 1 u8 | id 16 | secret 32.
package struct InstallGeneration: Sendable {
    static let namespaceName = NamespaceName.internalName("install")
    private static let format: UInt8 = 1
    private static let idBytes = 16

    /// Identifies the installation. Not secret.
    package let id: [UInt8]
    /// The secret for deriving keys of data that must not outlive the installation.
    package let secret: SecretKey

    init(_ record: [UInt8]) throws(StorageError) {
        guard record.first == InstallGeneration.format else {
            if let format = record.first, format != 0 {
                throw StorageError(
                    .newerFormat, "the installation record has format \(format), which this version does not know")
            }
            throw .corruption("the installation record is empty")
        }
        guard record.count == 1 + InstallGeneration.idBytes + SecretKey.byteCount else {
            throw .corruption("the installation record has a wrong size bytes=\(record.count)")
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
    /// Returns this installation's record. The first call creates it, durably.
    ///
    /// - Throws: The errors of creating a namespace; `.corruption`; `.newerFormat`.
    package func installGeneration() throws(StorageError) -> InstallGeneration {
        try core.requireOpen()
        let name = InstallGeneration.namespaceName
        if let found = engine.namespace(named: name) { return try InstallGeneration(found.options) }
        // Name and record are one edit. Another thread may have created the record first; the stored record is the one
        // that counts.
        try engine.createNamespace(named: name, options: try InstallGeneration.freshRecord())
        return try installGeneration()
    }
}
