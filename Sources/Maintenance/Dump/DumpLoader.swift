import Shale
import ShaleBase
import ShaleManifest
import ShalePlatform

/// Adds the lines of a dump to a new store.
struct DumpLoader: ~Copyable {
    private let builder: StoreBuilder
    private var reader = DumpReader()
    private var catalogue = Catalogue()
    private var store: DumpLine.StoreLine?
    private var namespace: NamespaceID?
    private var content: ContentCheck?
    private var announced: Int64?
    /// The encoded key of the current entry.
    private var key = ByteBuffer(capacity: 64)
    /// The encoded key of the previous entry.
    private var lastKey = ByteBuffer(capacity: 64)

    init(_ builder: StoreBuilder) { self.builder = builder }

    mutating func take(_ line: Bytes, number lineNumber: UInt64) throws(StorageError) {
        let entry: DumpLine.EntryLine?
        do {
            entry = try parse(line)
        } catch {
            // The error contains nothing of the line.
            throw .invalid("line \(lineNumber) of the dump: \(error.reason)")
        }
        if let entry { try add(entry) }
    }

    /// Processes all lines except those of entries, which it returns.
    private mutating func parse(_ line: Bytes) throws(ParseFailure) -> DumpLine.EntryLine? {
        switch try reader.read(line) {
        case .store(let line): try begin(line)
        case .namespace(let line): try begin(line)
        case .end(let count): announced = count
        case .entry(let entry):
            try encodeKey(entry)
            if let content { try DumpLoader.check { () throws(StorageError) in try content.check(entry.value) } }
            return entry
        }
        return nil
    }

    private mutating func begin(_ line: DumpLine.StoreLine) throws(ParseFailure) {
        guard store == nil else { throw ParseFailure("a second dump begins") }
        guard line.version != DumpFormat.partVersion else {
            throw ParseFailure("the dump is of some namespaces; it can only be loaded into a namespace or a space")
        }
        guard line.version == DumpFormat.version, line.root == nil, line.user == nil else {
            throw ParseFailure("the dump has version \(line.version); this program reads version \(DumpFormat.version)")
        }
        guard let next = UInt32(exactly: line.nextNamespace), next <= FormatLimits.namespaceIDs else {
            throw ParseFailure("the next namespace is out of bounds")
        }
        catalogue.nextID = next
        store = line
    }

    /// Converts the error that a read would throw into the reason for rejecting the line.
    static func check(_ body: () throws(StorageError) -> Void) throws(ParseFailure) {
        do throws(StorageError) { try body() } catch { throw ParseFailure(error.message) }
    }

    private mutating func begin(_ line: DumpLine.NamespaceLine) throws(ParseFailure) {
        guard store != nil else { throw ParseFailure("the first line of a dump must have the member shaleDump") }
        guard let number = UInt32(exactly: line.id), number > namespace?.rawValue ?? 0, announced == nil else {
            throw ParseFailure("namespaces are out of order")
        }
        let name = line.catalogueName
        guard name.count <= FormatLimits.namespaceNameBytes, line.options.count <= FormatLimits.namespaceOptionsBytes
        else { throw ParseFailure("a namespace's name or options are too long") }
        guard catalogue.records.count < FormatLimits.liveNamespaces else {
            throw ParseFailure("there are more than \(FormatLimits.liveNamespaces) namespaces")
        }
        var content: ContentCheck?
        try DumpLoader.check { () throws(StorageError) in
            content = try ContentCheck(name: name, options: line.options)
        }
        self.content = content
        let id = NamespaceID(rawValue: number)
        try catalogue.insert(NamespaceRecord(id: id, name: name, options: line.options))
        namespace = id
    }

    private mutating func encodeKey(_ entry: DumpLine.EntryLine) throws(ParseFailure) {
        guard let namespace else { throw ParseFailure("an entry precedes its namespace") }
        guard entry.key.count <= FormatLimits.keyBytes, entry.value.count <= FormatLimits.valueBytes else {
            throw ParseFailure(
                "a key is over the limit of \(FormatLimits.keyBytes) bytes, or a value over \(FormatLimits.valueBytes)")
        }
        swap(&key, &lastKey)
        key.removeAll()
        key.append(namespace.rawValue.bigEndian)
        key.append(entry.key)
        guard lastKey.count == 0 || lastKey.bytes < key.bytes, announced == nil else {
            throw ParseFailure("keys are out of order")
        }
    }

    private func add(_ entry: DumpLine.EntryLine) throws(StorageError) {
        let kind = EntryKind.put(purgeable: entry.isPurgeable, hasExpiry: entry.expiry != nil)
        // Nothing has been erased in the new store, so any sequence suits a live entry.
        try builder.add(key.bytes, Trailer(1, kind), entry.expiry ?? 0, entry.value)
    }

    consuming func finish() throws(StorageError) {
        guard store != nil, let announced else {
            throw .invalid("the dump is cut short: its last line, with the member end, is missing")
        }
        guard UInt64(exactly: announced) == builder.entryCount else {
            throw .invalid("the last line announces \(announced) entries, but the dump has \(builder.entryCount)")
        }
        let random = SystemRandom()
        let created = SystemTime().wallMilliseconds
        try builder.finish(
            StoreBuilder.Identity(
                catalogue: catalogue, lastSequence: 1, clockFloor: 0,
                storeID: StoreID(random.next(), random.next()), createdMilliseconds: created))
    }
}
