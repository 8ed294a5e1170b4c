public import ShaleBase
import ShaleMemtable
import ShalePlatform
import ShaleValues

extension Engine {
    /// Begins a value that is written in pieces, so that it need not be in memory as a whole.
    ///
    /// ```swift
    /// let writer = try engine.makeValueWriter()
    /// while let piece = try download.next() { try writer.append(piece.span.bytes) }
    /// try writer.commit(forKey: key, in: pictures)
    /// ```
    ///
    /// - Throws: `.readOnly`, `.poisoned` or `.closed`.
    /// - Complexity: O(1). Creates no file.
    public func makeValueWriter() throws(StorageError) -> ValueWriter {
        try core.committer.requireOwnProcess()
        guard !core.gate.isClosed else { throw EngineCore.closedError }
        guard core.manifest != nil else { throw Committer.readOnlyError }
        try core.committer.requireWriting()
        let writer = ValueWriter(core)
        try core.openValueWriters.add(writer)
        return writer
    }

    /// Writes one value of up to 1 GiB in pieces. The value exists from ``commit(forKey:in:options:durability:)`` on,
    /// or not at all: whatever ends the process, the power or this object before leaves nothing of it.
    ///
    /// A value of 1 MiB or more gets a value file of its own, whatever ``Options/largeValueBytes`` is. Its pieces are
    /// written as they arrive, without a lock that other writers need. A smaller value is put like any other. Memory:
    /// 1 MiB.
    ///
    /// Thread-safe: the calls of several threads take turns. An object that is released before its commit removes its
    /// file, and closing the engine ends all value writers.
    public final class ValueWriter: @unchecked Sendable {
        private struct State: ~Copyable {
            var buffer = ByteBuffer()
            /// The file of the value, once it has one.
            var stream: ValueStream?
            /// The reason why nothing more is accepted.
            var end: StorageError?
            var byteCount = 0
        }

        private let core: EngineCore
        private let lock = Lock()
        // Under `lock`.
        private var state = State()

        init(_ core: EngineCore) { self.core = core }

        deinit { discard() }

        /// The number of bytes that were appended.
        public var byteCount: Int { lock.withLock { state.byteCount } }

        /// The largest number of bytes of a value that is written in pieces: 1 GiB.
        public static var byteCountMax: Int { FormatLimits.streamedValueBytes }

        /// Appends a piece of any length to the value.
        ///
        /// - Parameter bytes: The piece; it is copied or written before the call returns.
        /// - Throws: `.invalidArgument` if the value would have more than 1 GiB, with nothing appended, or if the
        ///   writer has ended. `.noSpace`, `.ioFailure`, `.poisoned` and `.closed` end the writer and remove its file.
        /// - Complexity: O(bytes).
        public func append(_ bytes: RawSpan) throws(StorageError) {
            try core.committer.requireOwnProcess()
            try unsafe bytes.withUnsafeBytes { (bytes) throws(StorageError) in
                let bytes = unsafe Bytes(bytes)
                try lock.withLock { () throws(StorageError) in try append(bytes) }
            }
        }

        /// Sets `key` to the value, atomically, and ends the writer.
        ///
        /// The bytes of a value with a file of its own are durable before the key refers to them, also with
        /// ``Durability/buffered``: a buffered commit can be lost by a power loss, but not leave half a value.
        ///
        /// - Parameters:
        ///   - key: At most 16 KiB.
        ///   - namespace: The namespace of the key.
        ///   - options: Purgeability and expiry of the entry.
        ///   - durability: What the entry survives once the call has returned; `nil` means the engine's default.
        /// - Throws: The errors of ``Engine/put(_:forKey:in:options:durability:)``. Unless it is `.indeterminate`,
        ///   `.noSpace` or `.ioFailure`, the writer still has the value, and the call may be repeated.
        /// - Complexity: O(key), and a sync of what the device has not written yet.
        public func commit(
            forKey key: RawSpan, in namespace: NamespaceID, options: PutOptions = .init(),
            durability: Durability? = nil
        ) throws(StorageError) {
            try core.committer.requireOwnProcess()
            try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
                let key = unsafe Bytes(key)
                try lock.withLock { () throws(StorageError) in try commit(key, namespace, options, durability) }
            }
        }

        /// Sets `key` to the value as ``commit(forKey:in:options:durability:)`` does, unless the key was written since
        /// `snapshot`.
        ///
        /// - Throws: `.conflict` if the key was written, with nothing written.
        package func commit(
            forKey key: RawSpan, in namespace: NamespaceID, options: PutOptions, durability: Durability? = nil,
            ifUnchangedSince snapshot: Engine.Snapshot
        ) throws(StorageError) {
            try core.committer.requireOwnProcess()
            try unsafe key.withUnsafeBytes { (key) throws(StorageError) in
                let key = unsafe Bytes(key)
                var keys = ReadKeys()
                keys.insert(namespace, key, hash: KeyHasher.ofProcess.hash(namespace, key))
                try lock.withLock { () throws(StorageError) in
                    try commit(key, namespace, options, durability) { [core] () throws(StorageError) in
                        try core.checkUnchanged(keys, since: snapshot.readPoint)
                    }
                }
            }
        }

        /// Gives the value up. Nothing of it is left. Does nothing after the commit.
        public func cancel() { end(.invalid("the value was cancelled")) }

        /// Ends the writer, which removes its file.
        func end(_ reason: StorageError) {
            // In a child made by `fork` another thread of the parent may have held the lock.
            guard !core.committer.isInChild else { return }
            lock.withLock { fail(reason) }
        }
    }
}

extension Engine.ValueWriter {
    // Everything here runs under `lock`.

    /// Throws if the writer has ended. Ends it if writing to the store has ended: no commit would succeed.
    private func requireOpen() throws(StorageError) {
        if let end = state.end { throw end }
        do throws(StorageError) {
            try core.committer.requireWriting()
        } catch {
            fail(error)
            throw error
        }
    }

    private func fail(_ reason: StorageError) {
        guard state.end == nil else { return }
        state.end = reason
        discard()
    }

    /// Removes the file, if there is one.
    private func discard() {
        core.openValueWriters.remove(self)
        state.buffer = ByteBuffer()
        guard let stream = state.stream else { return }
        state.stream = nil
        guard !core.committer.isInChild else {
            // The file is the parent's, and its copy here ends with the process.
            _ = unsafe Unmanaged.passRetained(stream)
            return
        }
        do { try stream.remove() } catch { core.counters.backgroundFailures.add(1) }
    }

    private func append(_ bytes: Bytes) throws(StorageError) {
        try requireOpen()
        guard bytes.count <= FormatLimits.streamedValueBytes - state.byteCount else {
            throw .invalid(
                "a value that is written in pieces is over the limit of \(FormatLimits.streamedValueBytes) bytes")
        }
        guard state.stream?.reference == nil else { throw .invalid("the value is complete: it can only be committed") }
        do throws(StorageError) {
            try buffer(bytes)
        } catch {
            fail(error)
            throw error
        }
        state.byteCount += bytes.count
    }

    /// Copies bytes into the buffer, and writes the buffer as often as it is full.
    private func buffer(_ bytes: Bytes) throws(StorageError) {
        var rest = bytes
        while !rest.isEmpty {
            if state.buffer.count == 0, rest.count >= ValueStream.bufferBytes {
                // Whole chunks need no copy.
                let whole = rest.count - rest.count % ValueFileFormat.chunkBytes
                try stream().append(rest.slice(0, whole))
                rest = rest.suffix(from: whole)
                continue
            }
            let count = min(ValueStream.bufferBytes - state.buffer.count, rest.count)
            state.buffer.append(rest.slice(0, count))
            rest = rest.suffix(from: count)
            if state.buffer.count == ValueStream.bufferBytes { try writeBuffer() }
        }
    }

    private func writeBuffer() throws(StorageError) {
        try stream().append(state.buffer.bytes)
        state.buffer.removeAll()
    }

    private func stream() throws(StorageError) -> ValueStream {
        if let stream = state.stream { return stream }
        let fresh = try core.beginValueStream()
        state.stream = fresh
        return fresh
    }

    private func commit(
        _ key: Bytes, _ namespace: NamespaceID, _ options: PutOptions, _ durability: Durability?,
        check: (() throws(StorageError) -> Void)? = nil
    ) throws(StorageError) {
        try requireOpen()
        try checkEntry(key, .empty)
        let durability = durability ?? core.options.durability
        var encoder = BatchEncoder()
        do throws(StorageError) {
            if state.stream == nil, state.byteCount < core.environment.streamedValueBytesMin {
                encoder.append(
                    namespace: namespace, key: key, kind: options.kind, expiry: options.expiryMilliseconds,
                    value: state.buffer.bytes)
                try core.commit(&encoder, durability, check: check)
            } else {
                var values = LargeValues()
                values.append(
                    namespace, key, options.kind, options.expiryMilliseconds, streamed: try complete(), to: &encoder)
                try core.commitStreamed(&encoder, values, durability, check: check)
            }
        } catch {
            // The log may refer to the file. If it does not, the next opening removes the file.
            if error.code == .indeterminate { state.stream = nil }
            if [.indeterminate, .noSpace, .ioFailure].contains(error.code) { fail(error) }
            throw error
        }
        // The engine removes the file when nothing refers to it any more.
        state.stream = nil
        fail(.invalid("the value was committed"))
    }

    /// Writes the rest of the value, and makes it durable, unless that was done before.
    private func complete() throws(StorageError) -> StreamedValue {
        let stream = try stream()
        if stream.reference == nil, state.buffer.count > 0 { try writeBuffer() }
        let reference = try stream.finish()
        return StreamedValue(reference: reference, file: core.valueSource.file(reference.file))
    }
}
