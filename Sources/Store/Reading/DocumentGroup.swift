package import ShaleBase

/// Copies of the documents of several keys. Compact ones share one piece of memory. Used by one thread.
package struct DocumentGroup {
    private enum Part {
        case missing
        case failed(StorageError)
        /// A compact document in the common memory.
        case shared(version: Int, Range<Int>)
        case whole(VersionedDocument)
    }

    private var parts: [Part] = []
    /// Compact documents, one behind the other, until ``memory`` has them.
    private var bytes: [UInt8] = []
    private var memory: CompactInput?
    private var hasShared = false

    package init() {}

    /// Returns the document of the key at an index; `nil` if the key is missing. Throws the errors of
    /// ``Store/Namespace/Source/document(forKey:)``.
    package func document(_ index: Int) throws(StorageError) -> VersionedDocument? {
        switch parts[index] {
        case .missing: return nil
        case .failed(let error): throw error
        case .whole(let document): return document
        case .shared(let version, let range):
            return memory.map { VersionedDocument(version: version, CopiedPayload($0.part(range))) }
        }
    }

    /// Removes all documents. Those that were returned stay valid.
    mutating func removeAll() {
        parts.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: bytes.count <= DocumentGroup.keptBytes)
        memory = nil
        hasShared = false
    }

    private static let keptBytes = 64 << 10

    mutating func appendMissing() { parts.append(.missing) }

    /// Appends the document that `read` finds, or its error. `read` passes the envelope.
    mutating func append(
        _ read: ((RawSpan) throws(StorageError) -> Void) throws(StorageError) -> Void
    ) {
        do throws(StorageError) {
            var part = Part.missing
            try read { (envelope) throws(StorageError) in part = try add(envelope) }
            parts.append(part)
        } catch {
            parts.append(.failed(error))
        }
    }

    mutating func append(_ found: Result<VersionedDocument?, StorageError>) {
        switch found {
        case .success(let document): parts.append(document.map { .whole($0) } ?? .missing)
        case .failure(let error): parts.append(.failed(error))
        }
    }

    private mutating func add(_ envelope: RawSpan) throws(StorageError) -> Part {
        try Envelope.read(envelope) { (envelope) throws(StorageError) in
            let payload = try VersionedPayload(envelope.payload, envelope.codec)
            guard payload.codec == .compact else {
                return .whole(
                    VersionedDocument(
                        version: payload.version, CopiedPayload(payload.document.span, payload.codec)))
            }
            let start = bytes.count
            hasShared = true
            unsafe bytes.append(contentsOf: payload.document.buffer)
            return .shared(version: payload.version, start..<bytes.count)
        }
    }

    /// Completes the group.
    mutating func finish() { if hasShared { memory = unsafe CompactInput(copying: bytes.span.bytes) } }
}

extension Store.Namespace.Source {
    /// Copies the documents of several keys into a group, in their order, as of one moment. Each document has an error
    /// of its own. Errors of reading files end the call.
    package func read(documentsOf keys: KeyList, into group: inout DocumentGroup) throws(StorageError) {
        group.removeAll()
        if case .transaction = moment {
            for index in 0..<keys.count {
                let key = keys.withKey(index) { $0.array() }
                group.append(Result { () throws(StorageError) in try document(forKey: key) })
            }
            return
        }
        let exists: Void? = try reading { (id, snapshot) throws(StorageError) in
            group.removeAll()
            try state.core.engine.withEntries(forKeys: keys, in: id, at: snapshot) { (index, found) in
                guard let found else { return group.appendMissing() }
                keys.withKey(index) { (key) in
                    state.noteUse(key.span, id)
                    group.append { (body) throws(StorageError) in
                        try state.withPlain(found, key.span, id) { (plain) throws(StorageError) in try body(plain) }
                    }
                }
            }
            group.finish()
        }
        if exists == nil { for _ in 0..<keys.count { group.appendMissing() } }
    }
}
