import Shale
import ShaleBase
import ShaleEngine
import ShaleSimulation

@testable import ShaleMaintenance

/// Streams of backups, as arrays.
enum StreamedBackup {
    static let target = "/restored"

    static func options(_ key: UInt8?) -> BackupStreamOptions {
        var options = BackupStreamOptions()
        options.encryption = key.map { StoreEncryption(cipher: SimpleCipher(), keys: SimpleKey(byte: $0)) }
        return options
    }

    static func stream(of engine: Engine, key: UInt8? = nil) throws(StorageError) -> [UInt8] {
        var stream: [UInt8] = []
        try Maintenance.backUp(engine, options: options(key)) { piece in
            unsafe piece.withUnsafeBytes { unsafe stream.append(contentsOf: $0) }
        }
        return stream
    }

    /// Restores a stream that arrives in pieces of `pieceBytes`.
    @discardableResult
    static func restore(
        _ stream: [UInt8], key: UInt8? = nil, to files: SimulatedFileSystem, pieceBytes: Int = 4096
    ) throws(StorageError) -> BackupInfo {
        var rest = stream[...]
        return try Maintenance.restore(into: target, options: options(key), fileSystem: files) {
            let piece = Array(rest.prefix(pieceBytes))
            rest = rest.dropFirst(piece.count)
            return piece
        }
    }

    /// The positions of all frames, and the end of the stream.
    static func boundaries(_ stream: [UInt8]) -> [Int] {
        var boundaries: [Int] = []
        var position = BackupStreamFormat.headerBytes
        while position < stream.count {
            boundaries.append(position)
            let length = stream[position + 8..<position + 12].reversed().reduce(0) { $0 << 8 | Int($1) }
            position += BackupStreamFormat.frameHeaderBytes + length
        }
        return boundaries + [position]
    }
}
