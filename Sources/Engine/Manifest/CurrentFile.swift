package import ShaleBase
package import ShalePlatform

/// The file CURRENT, which names the current manifest. DESIGN.md, "Directory and files".
package struct CurrentFile: Sendable, Equatable {
    private static let magic: UInt64 = 0x5255_4345_4c41_4853  // "SHALECUR"
    private static let size = 64
    package static let formatVersion: UInt32 = 1

    package let manifestNumber: UInt64
    package let storeID: StoreID
    package let createdMilliseconds: Int64

    package init(manifestNumber: UInt64, storeID: StoreID, createdMilliseconds: Int64) {
        self.manifestNumber = manifestNumber
        self.storeID = storeID
        self.createdMilliseconds = createdMilliseconds
    }

    package static func read(in directory: any Directory) throws(StorageError) -> CurrentFile {
        let memory = OwnedBytes(count: size + 1)
        let count: Int
        do {
            let file = try directory.open(StoreLayout.current)
            defer { file.close() }
            count = try file.read(into: memory.mutable, at: 0)
        } catch {
            throw error.neededFileError
        }
        guard count == size else {
            throw .corruption("CURRENT is \(count) bytes, not \(size)", file: StoreLayout.current, offset: 0)
        }
        let bytes = memory.bytes.slice(0, size)
        guard bytes.u64(at: 0) == magic else {
            throw .corruption("CURRENT has a wrong magic", file: StoreLayout.current, offset: 0)
        }
        guard Checksum.of(bytes.slice(0, 56), file: 0, offset: 0) == bytes.u64(at: 56) else {
            throw .corruption("CURRENT fails its checksum", file: StoreLayout.current, offset: 56)
        }
        guard bytes.u32(at: 8) == formatVersion, bytes.u32(at: 12) == 0 else {
            throw StorageError(
                .newerFormat, "the store has an unknown format=\(bytes.u32(at: 8)) features=\(bytes.u32(at: 12))",
                file: StoreLayout.current, offset: 8)
        }
        return CurrentFile(
            manifestNumber: bytes.u64(at: 16), storeID: StoreID(bytes.u64(at: 24), bytes.u64(at: 32)),
            createdMilliseconds: bytes.i64(at: 40))
    }

    /// Replaces CURRENT so that a crash leaves the old or the new file: write a temporary file, sync, rename, sync the
    /// names.
    package func write(in directory: any Directory) throws(IOFailure) {
        try writeAside(in: directory)
        try rename(in: directory)
        try CurrentFile.syncName(in: directory)
    }

    /// Writes and syncs the successor of CURRENT under a temporary name. No reader opens it yet.
    func writeAside(in directory: any Directory) throws(IOFailure) {
        let memory = OwnedBytes(count: CurrentFile.size)
        let bytes = memory.mutable
        bytes.zero(0, CurrentFile.size)
        bytes.store(CurrentFile.magic, at: 0)
        bytes.store(CurrentFile.formatVersion, at: 8)
        bytes.store(manifestNumber, at: 16)
        bytes.store(storeID.high, at: 24)
        bytes.store(storeID.low, at: 32)
        bytes.store(createdMilliseconds, at: 40)
        bytes.store(Checksum.of(bytes.bytes.slice(0, 56), file: 0, offset: 0), at: 56)
        if try directory.exists(StoreLayout.currentTemporary) {
            try directory.remove(StoreLayout.currentTemporary)
        }
        let file = try directory.create(StoreLayout.currentTemporary)
        try file.write(memory.bytes.slice(0, CurrentFile.size), at: 0)
        try file.sync()
        try file.close()
    }

    /// Renames the file of ``writeAside(in:)`` to CURRENT.
    func rename(in directory: any Directory) throws(IOFailure) {
        try directory.rename(StoreLayout.currentTemporary, to: StoreLayout.current, in: directory)
    }

    /// Makes the rename durable. If it fails, a crash may leave the old or the new file.
    static func syncName(in directory: any Directory) throws(IOFailure) {
        if !PlantedBug.isActive(.skipCurrentName) { try directory.sync() }
    }
}

/// 128 random bits drawn when a store is created.
package struct StoreID: Sendable, Hashable {
    package let high: UInt64
    package let low: UInt64

    package init(_ high: UInt64, _ low: UInt64) {
        self.high = high
        self.low = low
    }
}
