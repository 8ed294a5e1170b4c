import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// Copies whole files from one directory to another.
enum FileCopy {
    private static let pieceBytes = 1 << 20

    /// Makes a hard link if `links` is true and the file system permits one, otherwise a copy. The content of a copy is
    /// durable, its name is not.
    ///
    /// - Throws: The error of ``requireSize(of:in:)``, before any byte is copied.
    static func take(
        _ metadata: SegmentMetadata, from source: any Directory, to target: any Directory, links: Bool
    ) throws(StorageError) {
        try requireSize(of: metadata, in: source)
        do {
            try take(metadata.fileName, metadata.fileBytes, from: source, to: target, links: links)
        } catch {
            throw error.storageError
        }
    }

    /// Does the same with the part of a value file that segments use. More may follow it: what an append that failed
    /// has left behind.
    static func take(
        _ use: ValueUse, from source: any Directory, to target: any Directory, links: Bool
    ) throws(StorageError) {
        try requireSize(of: use, in: source)
        do {
            try take(StoreLayout.values(use.file), use.fileBytes, from: source, to: target, links: links)
        } catch {
            throw error.storageError
        }
    }

    /// Throws `.corruption` if a segment's file does not have the size that `metadata` states. A copy of a file with a
    /// hole of terabytes would fill the target's disk.
    static func requireSize(of metadata: SegmentMetadata, in source: any Directory) throws(StorageError) {
        let size: UInt64
        do { size = try source.sizeOfFile(metadata.fileName) } catch { throw error.storageError }
        guard size == metadata.fileBytes else {
            throw StorageError(
                .corruption, "the segment's size differs from the recorded size recorded=\(metadata.fileBytes)",
                file: metadata.fileName)
        }
    }

    /// Throws `.corruption` if a value file ends before the size that `use` states.
    static func requireSize(of use: ValueUse, in source: any Directory) throws(StorageError) {
        let name = StoreLayout.values(use.file)
        let size: UInt64
        do { size = try source.sizeOfFile(name) } catch { throw error.storageError }
        guard size >= use.fileBytes else {
            throw StorageError(
                .corruption, "the value file is shorter than recorded recorded=\(use.fileBytes)", file: name)
        }
    }

    private static func take(
        _ name: String, _ bytes: UInt64, from source: any Directory, to target: any Directory, links: Bool
    ) throws(IOFailure) {
        if links {
            do throws(IOFailure) {
                return try source.link(name, to: name, in: target)
            } catch {
                guard error.isUnlinkable else { throw error }
            }
        }
        let from = try source.open(name)
        defer { from.close() }
        let to = try target.create(name)
        try copy(from, to: to, bytes)
        try to.sync()
        try to.close()
    }

    private static func copy(
        _ source: any ReadableFile, to target: any WritableFile, _ bytes: UInt64
    ) throws(IOFailure) {
        source.adviseSequential(offset: 0, count: bytes)
        let buffer = OwnedBytes(count: pieceBytes)
        defer { withExtendedLifetime(buffer) {} }
        var offset: UInt64 = 0
        while offset < bytes {
            let piece = buffer.mutable.slice(0, Int(min(UInt64(pieceBytes), bytes - offset)))
            let count = try source.read(into: piece, at: offset)
            // A file that is shorter than before is found damaged when the copy is verified.
            if count == 0 { return }
            try target.write(piece.bytes.slice(0, count), at: offset)
            offset += UInt64(count)
        }
    }

    /// Returns true if two files of the same number and size are the same segment. Only the part after the data is
    /// compared: it contains the time of creation, and counts, lengths, sequences and a filter of the data.
    static func isSame(
        _ metadata: SegmentMetadata, _ a: any Directory, _ b: any Directory
    ) throws(IOFailure) -> Bool {
        let start = metadata.slices.reduce(UInt64(0)) { $0 + $1.storedBytes }
        guard start < metadata.fileBytes else { return false }
        let first = try a.open(metadata.fileName)
        defer { first.close() }
        let second = try b.open(metadata.fileName)
        defer { second.close() }
        let one = OwnedBytes(count: pieceBytes)
        let other = OwnedBytes(count: pieceBytes)
        var offset = start
        while true {
            let count = try first.read(into: one.mutable, at: offset)
            guard try second.read(into: other.mutable, at: offset) == count else { return false }
            if count == 0 { return offset == metadata.fileBytes }
            let isEqual = one.bytes.slice(0, count) == other.bytes.slice(0, count)
            guard isEqual || PlantedBug.isActive(.compareSizesAlone) else { return false }
            offset += UInt64(count)
        }
    }
}
