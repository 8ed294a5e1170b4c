import Shale

/// Shale's store: the public interface that an app uses.
final class ShaleTypedPeer: TypedPeer {
    private let path: String
    private var store: Store?
    private var namespace: Store.Namespace?

    static let summary = "typed job: Store with default options, its own setters and getters"

    init(path: String) { self.path = path }

    private var opened: Store.Namespace {
        get throws {
            guard let namespace else { throw BenchError("shale is closed") }
            return namespace
        }
    }

    func open() throws {
        let store = try Store(at: path)
        (self.store, namespace) = (store, store.common["settings"])
    }

    func close() throws {
        try store?.close()
        (store, namespace) = (nil, nil)
    }

    func flush() throws { try store?.engine.flush() }

    var isBusy: Bool { (store?.engine.statistics.immutableMemtables ?? 0) > 0 }

    var memoryBudgetBytes: Int? { store?.options.engine.memoryBudget }

    func set(_ value: TypedValue, forKey key: String) throws {
        let namespace = try opened
        switch value {
        case .int(let value): try namespace.set(value, forKey: key)
        case .bool(let value): try namespace.set(value, forKey: key)
        case .double(let value): try namespace.set(value, forKey: key)
        case .text(let value): try namespace.set(value, forKey: key)
        }
    }

    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue? {
        let namespace = try opened
        return switch kind {
        case .int: try namespace.value(forKey: key, as: Int.self).map { .int($0) }
        case .bool: try namespace.value(forKey: key, as: Bool.self).map { .bool($0) }
        case .double: try namespace.value(forKey: key, as: Double.self).map { .double($0) }
        case .text: try namespace.value(forKey: key, as: String.self).map { .text($0) }
        }
    }
}

/// Typed values in a store of bytes: a byte for the kind, followed by the value.
final class BytesTypedPeer: TypedPeer {
    private let peer: any Peer
    private var session: (any PeerSession)?
    private var buffer: [UInt8] = []

    init(_ peer: any Peer) { self.peer = peer }

    func open() throws {
        try peer.open()
        session = try peer.session(isSynced: false)
    }

    func close() throws {
        session = nil
        try peer.close()
    }

    func flush() throws { try peer.flush() }
    var isBusy: Bool { peer.isBusy }

    func set(_ value: TypedValue, forKey key: String) throws {
        guard let session else { throw BenchError("the peer is closed") }
        buffer.removeAll(keepingCapacity: true)
        switch value {
        case .int(let value): append(0, UInt64(bitPattern: Int64(value)))
        case .bool(let value): buffer += [1, value ? 1 : 0]
        case .double(let value): append(2, value.bitPattern)
        case .text(let text):
            buffer.append(3)
            buffer += text.utf8
        }
        let bytes = buffer
        try session.put(unsafe bytes.span.bytes, forKey: unsafe key.utf8Span.span.bytes)
    }

    private func append(_ kind: UInt8, _ bits: UInt64) {
        buffer.append(kind)
        unsafe withUnsafeBytes(of: bits.littleEndian) { unsafe buffer.append(contentsOf: $0) }
    }

    func value(forKey key: String, as kind: TypedValue.Kind) throws -> TypedValue? {
        guard let session else { throw BenchError("the peer is closed") }
        var found: TypedValue?
        _ = try session.get(unsafe key.utf8Span.span.bytes) { found = BytesTypedPeer.decode($0) }
        return found
    }

    private static func decode(_ bytes: RawSpan) -> TypedValue? {
        unsafe bytes.withUnsafeBytes { bytes in
            guard let kind = unsafe bytes.first else { return nil }
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
            if kind == 3 { return .text(unsafe String(decoding: rest, as: UTF8.self)) }
            if kind == 1, let value = unsafe rest.first { return .bool(value != 0) }
            guard rest.count == 8 else { return nil }
            let bits = UInt64(littleEndian: unsafe rest.loadUnaligned(as: UInt64.self))
            return kind == 0 ? .int(Int(Int64(bitPattern: bits))) : .double(Double(bitPattern: bits))
        }
    }
}
