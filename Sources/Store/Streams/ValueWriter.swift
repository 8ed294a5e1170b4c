public import ShaleBase
import ShaleEngine
import ShalePlatform

extension Store.Namespace {
    /// Begins a value of bytes that is written in pieces, so that it need not be in memory as a whole.
    ///
    /// ```swift
    /// let writer = try pictures.makeValueWriter(forKey: "cat.jpg")
    /// while let piece = try download.next() { try writer.append(piece) }
    /// try writer.commit()
    /// ```
    /// The value is read like any other `Data` or `[UInt8]`, and in parts with
    /// ``NamespaceReader/bytes(forKey:in:)``. A read of the whole value takes its size in memory.
    ///
    /// - Parameters:
    ///   - key: At most 16 KiB.
    ///   - options: Purgeability, expiry and encryption of the entry. A lifetime begins now, and so does the age of the
    ///     entry for purge policies.
    /// - Returns: A writer, which ends with its commit.
    /// - Throws: `.readOnly`, `.closed`, `.invalidArgument` for the key. For a value to encrypt also `.cipherMismatch`
    ///   (the store was opened without encryption), `.wrongKey` and `.missingKey`.
    /// - Complexity: O(key). Creates no file.
    public func makeValueWriter(
        forKey key: some StoreKey, options: ValueOptions = []
    ) throws(StorageError) -> Store.ValueWriter {
        try key.withKeyBytes { (key) throws(StorageError) in
            try state.writing { (id) throws(StorageError) in
                // The defaults are read after the id: see NamespaceState.
                let putOptions = state.putOptions(options)
                let sealing =
                    state.encrypts(options)
                    ? try state.pieceSealing(key, id, putOptions, options.cipher, writtenAt: state.writeTime) : nil
                return Store.ValueWriter(
                    state, id, [UInt8](copying: key), putOptions, try state.core.engine.makeValueWriter(), sealing)
            }
        }
    }
}

extension Store {
    /// Writes one value of up to 1 GiB in pieces. The value exists from ``commit(durability:)`` on, or not at all:
    /// whatever ends the process, the power or this object before leaves nothing of it.
    ///
    /// A value of 1 MiB or more gets a file of its own (`Engine.Options.largeValueBytes` need not be set), and other
    /// writers go on while its pieces are written. The pieces of an encrypted value are encrypted each on its own, with
    /// their places and the end of the value, before any part of them reaches the file. Memory: about 1 MiB.
    ///
    /// Thread-safe: the calls of several threads take turns. An object that is released before its commit removes its
    /// file, and closing the store ends all writers.
    public final class ValueWriter: @unchecked Sendable {
        private let state: NamespaceState
        private let id: NamespaceID
        private let key: [UInt8]
        private let options: PutOptions
        private let writer: Engine.ValueWriter
        private let lock = Lock()
        // Under `lock`.
        /// `nil` if the value is not encrypted.
        private var sealing: PieceSealing?
        private var hasHeader = false
        private var payloadByteCount = 0
        private var isComplete = false

        init(
            _ state: NamespaceState, _ id: NamespaceID, _ key: [UInt8], _ options: PutOptions,
            _ writer: Engine.ValueWriter, _ sealing: PieceSealing?
        ) {
            self.state = state
            self.id = id
            self.key = key
            self.options = options
            self.writer = writer
            self.sealing = sealing
        }

        /// The number of bytes that were appended.
        public var byteCount: Int { lock.withLock { payloadByteCount } }

        /// Appends a piece of any length to the value.
        ///
        /// - Parameter bytes: The piece.
        /// - Throws: `.invalidArgument` if the value would have more than 1 GiB with its header, or if the writer has
        ///   ended. Other errors end the writer and leave nothing of the value: `.noSpace`, `.ioFailure`, `.closed`,
        ///   `.codecFailure` (the cipher failed).
        /// - Complexity: O(bytes).
        public func append(_ bytes: [UInt8]) throws(StorageError) { try unsafe append(bytes.span.bytes) }

        /// Appends a piece of any length to the value.
        ///
        /// - Parameter bytes: The piece; it is copied or written before the call returns.
        /// - Throws: `.invalidArgument` if the value would have more than 1 GiB with its header, or if the writer has
        ///   ended. Other errors end the writer and leave nothing of the value.
        /// - Complexity: O(bytes).
        public func append(_ bytes: RawSpan) throws(StorageError) {
            try lock.withLock { () throws(StorageError) in
                guard !isComplete else { throw .invalid("the value is complete: it can only be committed") }
                try writeHeader()
                if sealing == nil {
                    try writer.append(bytes)
                } else {
                    try unsafe bytes.withUnsafeBytes { (bytes) throws(StorageError) in
                        try seal(unsafe Bytes(bytes))
                    }
                }
                payloadByteCount += bytes.byteCount
            }
        }

        /// Sets the key to the value, atomically, and ends the writer.
        ///
        /// The bytes of a value with a file of its own are durable before the key refers to them, also with
        /// ``Durability/buffered``.
        ///
        /// - Parameter durability: What the entry survives once the call has returned; `nil` means the store's default.
        /// - Throws: The errors of ``Store/Namespace/set(_:forKey:options:durability:)``. `.namespaceDropped` if the
        ///   namespace was dropped since the value was begun: begin it again. After `.stalled` the call may be
        ///   repeated.
        /// - Complexity: O(key), and a sync of what the device has not written yet.
        public func commit(durability: Durability? = nil) throws(StorageError) {
            try lock.withLock { () throws(StorageError) in
                if !isComplete {
                    try writeHeader()
                    try sealEnd()
                    isComplete = true
                }
                do throws(StorageError) {
                    try commitComplete(durability)
                } catch {
                    if error.code == .namespaceDropped { state.forget(id) }
                    throw error
                }
                sealing = nil
            }
        }

        /// Gives the value up. Nothing of it is left. Does nothing after the commit.
        public func cancel() { writer.cancel() }

        private func commitComplete(_ durability: Durability?) throws(StorageError) {
            let key = key
            func write() throws(StorageError) {
                try unsafe writer.commit(
                    forKey: key.span.bytes, in: id, options: options, durability: durability)
            }
            guard options.isPurgeable, state.isCapped else { return try write() }
            try state.core.withinCapacity([id: PolicyRun.bytes(key.count, writer.byteCount)], write)
        }

        // MARK: Pieces

        /// Writes the envelope's header before the first bytes. That of an encrypted value comes with its first piece.
        private func writeHeader() throws(StorageError) {
            guard !hasHeader, sealing == nil else { return }
            try Envelope.with(.data, RawSpan(), writtenAt: state.writeTime) {
                (header) throws(StorageError) in try writer.append(header)
            }
            hasHeader = true
        }

        private func seal(_ bytes: Bytes) throws(StorageError) {
            do throws(StorageError) {
                try sealing?.append(bytes) { (sealed) throws(StorageError) in try writer.append(sealed) }
            } catch {
                writer.cancel()
                throw error
            }
        }

        private func sealEnd() throws(StorageError) {
            do throws(StorageError) {
                try sealing?.finish { (sealed) throws(StorageError) in try writer.append(sealed) }
            } catch {
                writer.cancel()
                throw error
            }
        }
    }
}
