package import ShaleBase
package import ShalePlatform

/// A value file, opened for reads and closed when the pool of open files needs its place. Thread-safe.
///
/// Segments and memtables that refer to the file hold this object. The file is deleted only after its release.
package final class ValueFile: Sendable {
    package let number: UInt64
    private let directory: any Directory
    private let name: String
    private let files: OpenFiles
    private let entry = OpenFiles.Entry()
    private let release: @Sendable (ObjectIdentifier) -> Void

    init(
        number: UInt64, directory: any Directory, files: OpenFiles,
        release: @escaping @Sendable (ObjectIdentifier) -> Void
    ) {
        self.number = number
        self.directory = directory
        self.files = files
        self.release = release
        name = ValueFileName.make(number)
    }

    deinit {
        files.close(entry)
        release(ObjectIdentifier(self))
    }

    /// The path, for error messages.
    package var path: String { FileName.join(directory.path, name) }

    /// Returns the value at `reference`, whose file this is, after checking it.
    ///
    /// - Throws: `.corruption` if the file is missing, ends before the value or holds other bytes; `.outdated` if the
    ///   owner of the store has deleted the file; `.ioFailure`.
    /// - Complexity: O(value). One allocation.
    package func read(_ reference: ValueReference) throws(StorageError) -> OwnedBytes {
        // Before memory is taken for a length that may be damaged.
        if reference.count > FormatLimits.valueBytes, try size() < reference.end {
            throw corruption("the file ends inside a value", at: reference.offset)
        }
        let value = OwnedBytes(count: reference.count)
        defer { withExtendedLifetime(value) {} }
        try read(reference, into: value.mutable)
        return value
    }

    /// Reads the value at `reference` into `target`, which has its size, and checks it: see ``read(_:)``.
    package func read(_ reference: ValueReference, into target: MutableBytes) throws(StorageError) {
        assert(reference.file == number)
        try readWhole(into: target, at: reference.offset)
        guard reference.matches(target.bytes) else { throw checksumFailure(reference.offset) }
    }

    /// Reads a range of the value at `reference` into `target`, which has its size, after checking every chunk that
    /// overlaps the range.
    ///
    /// - Parameter range: Within the value. An empty range reads nothing.
    /// - Throws: As ``read(_:)``. Damage outside of the chunks and their table is not noticed.
    /// - Complexity: O(range). At most two chunks more than the range are read, and the chunk table.
    package func read(
        _ range: Range<Int>, of reference: ValueReference, into target: MutableBytes
    ) throws(StorageError) {
        assert(reference.file == number && range.upperBound <= reference.count && target.count == range.count)
        guard !range.isEmpty else { return }
        let table = try chunkTable(of: reference)
        defer { withExtendedLifetime(table) {} }
        try read(range, of: reference, table, into: target)
    }

    private func read(
        _ range: Range<Int>, of reference: ValueReference, _ table: OwnedBytes?, into target: MutableBytes
    ) throws(StorageError) {
        let chunkBytes = ValueFileFormat.chunkBytes
        // The memory of a chunk of which only a part is asked for.
        var memory: OwnedBytes?
        defer { withExtendedLifetime(memory) {} }
        for chunk in range.lowerBound / chunkBytes...(range.upperBound - 1) / chunkBytes {
            let whole = chunk * chunkBytes..<min(reference.count, (chunk + 1) * chunkBytes)
            let part = whole.clamped(to: range)
            let result = target.slice(part.lowerBound - range.lowerBound, part.count)
            var place = result
            if part != whole {
                let spare = memory ?? OwnedBytes(count: min(chunkBytes, reference.count))
                memory = spare
                place = spare.mutable.slice(0, whole.count)
            }
            let offset = reference.offset + UInt64(whole.lowerBound)
            try readWhole(into: place, at: offset)
            let hash = XXH3.hash(place.bytes)
            let isWhole = table.map { $0.bytes.u64(at: 8 * chunk) == hash } ?? reference.matches(hash)
            guard isWhole else { throw checksumFailure(offset) }
            if part != whole {
                result.copy(place.bytes.slice(part.lowerBound - whole.lowerBound, part.count), at: 0)
            }
        }
    }

    /// The size of the pieces in which a value is read that is not needed as a whole.
    private static let pieceBytes = 16 * ValueFileFormat.chunkBytes

    /// Passes the value at `reference` to `body` in pieces of whole chunks, each after checking it. The pieces are
    /// valid during the call.
    ///
    /// - Throws: As ``read(_:)``, and the errors of `body`.
    /// - Complexity: O(value). 1 MiB of memory, and the chunk table.
    package func forEachPiece(
        of reference: ValueReference, _ body: (Bytes) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard reference.count > ValueFileFormat.chunkBytes else {
            let value = try read(reference)
            defer { withExtendedLifetime(value) {} }
            return try body(value.bytes)
        }
        let table = try chunkTable(of: reference)
        let memory = OwnedBytes(count: min(ValueFile.pieceBytes, reference.count))
        defer { withExtendedLifetime((table, memory)) {} }
        var start = 0
        while start < reference.count {
            let piece = memory.mutable.slice(0, min(memory.count, reference.count - start))
            try read(start..<start + piece.count, of: reference, table, into: piece)
            try body(piece.bytes)
            start += piece.count
        }
    }

    /// Returns the checked chunk table of a value; `nil` if the value is one chunk.
    private func chunkTable(of reference: ValueReference) throws(StorageError) -> OwnedBytes? {
        let count = ValueFileFormat.tableBytes(reference.count)
        guard count > 0 else { return nil }
        let table = OwnedBytes(count: count)
        try readWhole(into: table.mutable, at: reference.tableOffset)
        guard reference.matches(XXH3.hash(table.bytes)) else { throw checksumFailure(reference.tableOffset) }
        return table
    }

    /// Checks the value at `reference`, the header of its record, and its chunk table.
    package func verify(_ reference: ValueReference) throws(StorageError) {
        // Checks the table against the reference, and the chunks against the table.
        try forEachPiece(of: reference) { _ in }
        try verifyHeader(of: reference)
    }

    /// Checks that the file has the record of `reference`, by the header of the record. The value is not read.
    package func verifyHeader(of reference: ValueReference) throws(StorageError) {
        let header = OwnedBytes(count: ValueFileFormat.recordHeaderBytes)
        defer { withExtendedLifetime(header) {} }
        let offset = reference.offset - UInt64(header.count)
        let count = try read(into: header.mutable, at: offset)
        let found = ValueFileFormat.decodeRecordHeader(header.bytes.slice(0, count), file: number, offset: offset)
        guard found == reference else { throw corruption("the header of a value fails its checksum", at: offset) }
    }

    /// Checks that the file is that of the streamed value at `reference` and has it whole, without reading the value.
    package func verifyStream(_ reference: ValueReference) throws(StorageError) {
        guard reference.offset == ValueFileFormat.firstValue, try size() == reference.end else {
            throw corruption("the file does not have one whole value", at: reference.offset)
        }
        try checkHeader()
        try verifyHeader(of: reference)
    }

    /// Checks the file's header.
    package func checkHeader() throws(StorageError) {
        let header = OwnedBytes(count: ValueFileFormat.headerBytes)
        defer { withExtendedLifetime(header) {} }
        let count = try read(into: header.mutable, at: 0)
        do {
            try ValueFileFormat.checkHeader(header.bytes.slice(0, count), number: number, path: path)
        } catch {
            throw explained(error)
        }
    }

    package func size() throws(StorageError) -> UInt64 {
        do throws(IOFailure) { return try handle().size() } catch { throw explained(error, at: 0) }
    }

    private func readWhole(into target: MutableBytes, at offset: UInt64) throws(StorageError) {
        guard try read(into: target, at: offset) == target.count else {
            throw corruption("the file ends inside a value", at: offset)
        }
    }

    private func checksumFailure(_ offset: UInt64) -> StorageError {
        corruption("a value fails its checksum", at: offset)
    }

    private func read(into target: MutableBytes, at offset: UInt64) throws(StorageError) -> Int {
        do throws(IOFailure) {
            return try handle().read(into: target, at: offset)
        } catch {
            throw explained(error, at: offset)
        }
    }

    private func handle() throws(IOFailure) -> any ReadableFile {
        try files.handle(of: entry) { () throws(IOFailure) in try directory.open(name) }
    }

    private func corruption(_ message: String, at offset: UInt64) -> StorageError {
        explained(.corruption(message, file: path, offset: offset))
    }

    /// Returns `error`, or `.outdated` if the owner of the store, in another process, has deleted the file.
    ///
    /// The owner removes the name before it cuts the file.
    private func explained(_ error: StorageError) -> StorageError {
        guard files.isBesideOwner else { return error }
        do throws(IOFailure) { if try directory.exists(name) { return error } } catch { return error.storageError }
        return outdated(error)
    }

    private func outdated(_ cause: any Error) -> StorageError {
        StorageError(
            .outdated, "the owner of the store has deleted a file of the state that is read", file: path, cause: cause)
    }

    /// A file that something refers to is never missing, unless the owner of the store has deleted it meanwhile.
    private func explained(_ failure: IOFailure, at offset: UInt64) -> StorageError {
        guard failure.isMissing else { return failure.storageError.inFile(path, at: offset) }
        guard files.isBesideOwner else {
            return .corruption("a value file that is needed is missing", file: path, offset: 0, cause: failure)
        }
        return outdated(failure)
    }
}

/// The value files in use, one object for each. Thread-safe.
package final class ValueFiles: Sendable {
    private struct Key: Hashable {
        let directory: ObjectIdentifier
        let number: UInt64
    }

    private struct Reference {
        let identity: ObjectIdentifier
        weak var file: ValueFile?
    }

    private let files: OpenFiles
    private let known = Locked<[Key: Reference]>([:])

    package init(files: OpenFiles) { self.files = files }

    /// Returns the object of file `number`: the same one while any other reference to it exists. Opens nothing.
    fileprivate func file(_ number: UInt64, in directory: any Directory) -> ValueFile {
        let key = Key(directory: ObjectIdentifier(directory), number: number)
        return known.withLock { known in
            // By an index, because Swift 6.2 without optimisation misreads an empty optional of this type.
            if let index = known.index(forKey: key), let file = known.values[index].file { return file }
            let file = ValueFile(number: number, directory: directory, files: files) { [weak self] in
                self?.forget(key, $0)
            }
            known[key] = Reference(identity: ObjectIdentifier(file), file: file)
            return file
        }
    }

    /// Forgets a file that is being released, unless another object of the file was made since. Takes no reference to
    /// that object: it might be the last one, and its release would wait for the lock.
    private func forget(_ key: Key, _ identity: ObjectIdentifier) {
        known.withLock { known in
            guard let index = known.index(forKey: key), known.values[index].identity == identity else { return }
            known.remove(at: index)
        }
    }
}

/// The value files of one directory.
package struct ValueSource: Sendable {
    private let files: ValueFiles
    package let directory: any Directory

    package init(_ files: ValueFiles, in directory: any Directory) {
        self.files = files
        self.directory = directory
    }

    /// Returns the object of file `number`: the same one while any other reference to it exists. Opens nothing.
    package func file(_ number: UInt64) -> ValueFile { files.file(number, in: directory) }

    /// Returns the value at `reference`. In an open store the caller holds a segment or a memtable that refers to it.
    package func read(_ reference: ValueReference) throws(StorageError) -> OwnedBytes {
        try file(reference.file).read(reference)
    }

    /// Reads the value at `reference` into `target`, which has its size: see ``read(_:)``.
    package func read(_ reference: ValueReference, into target: MutableBytes) throws(StorageError) {
        try file(reference.file).read(reference, into: target)
    }

    /// Reads a range of the value at `reference` into `target`, which has its size: see ``read(_:)``.
    package func read(
        _ range: Range<Int>, of reference: ValueReference, into target: MutableBytes
    ) throws(StorageError) {
        try file(reference.file).read(range, of: reference, into: target)
    }
}
