public import ShaleBase
import ShaleManifest
import ShalePlatform
import ShaleSegment
import ShaleValues

/// All versions of a key in all files of a store.
public struct KeyHistory: Sendable {
    /// The visibility of a version to a read at this moment, and the reason.
    public struct State: RawRepresentable, Sendable, Hashable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// A read returns this version.
        public static let visible = State(rawValue: "visible")
        /// The newest version is a delete.
        public static let deleted = State(rawValue: "deleted")
        /// The newest version was erased by a purge.
        public static let purged = State(rawValue: "purged")
        /// The newest version was erased by a truncation, or its namespace was dropped.
        public static let truncated = State(rawValue: "truncated")
        /// The newest version has expired.
        public static let expired = State(rawValue: "expired")
        /// A newer version hides this one.
        public static let hidden = State(rawValue: "hidden")
        /// The store does not refer to the version's file any more, or not yet.
        public static let unreferenced = State(rawValue: "unreferenced")
    }

    /// The location of a version.
    public struct Location: Sendable {
        public let version: StoredVersion
        public internal(set) var state: State
        /// The file's path, relative to the store's directory.
        public let file: String
        /// The level of the segment; `nil` for logs and for segments that the manifest does not name.
        public let level: Int?
        /// The offset of the log's record, or of the segment's block.
        public let offset: UInt64
        /// The number of the block in its segment; `nil` for logs.
        public let block: Int?
    }

    /// The locations, newest version first; for one sequence, logs before segments.
    public internal(set) var locations: [Location] = []
    /// The problems of files that may hold more versions.
    public internal(set) var findings: [Finding] = []
}

extension StoreInspector {
    /// Finds all versions of `key` in logs, segments of every level, and unreferenced files.
    ///
    /// It reads logs completely, and of each segment the block that may hold the key.
    ///
    /// - Parameters:
    ///   - key: The key without the namespace's id.
    ///   - namespace: The namespace's id. ``InspectedManifest/namespaces`` lists the live ones.
    ///   - now: The time that expiry is compared with, in milliseconds since 1970; `nil` = the time of the call.
    /// - Complexity: O(logs + segments).
    public func history(
        of key: [UInt8], in namespace: NamespaceID, now: Int64? = nil
    ) throws -> KeyHistory {
        var history = try readUntilStable({ $0.history.findings }) { try look(for: key, in: namespace) }
        history.history.judge(history.namespace, now ?? SystemTime().wallMilliseconds)
        return history.history
    }

    /// Returns all locations at about one moment, and the namespace as the manifest had it then.
    private func look(
        for key: [UInt8], in namespace: NamespaceID
    ) throws -> (history: KeyHistory, namespace: NamespaceRecord?) {
        let manifest = try manifest()
        var history = KeyHistory()
        history.findings = manifest.findings
        let logs = try logNumbers()
        for number in [manifest.logFloor, manifest.newestLog] where manifest.logFloor != 0 && !logs.contains(number) {
            history.findings.append(Finding(.missing, Self.logName(number), "a log that the store needs is missing"))
        }
        for number in logs {
            let isNeeded = manifest.logFloor != 0 && number >= manifest.logFloor
            let log = try log(number) { record in
                for version in record.operations where version.namespace == namespace && version.key == key {
                    history.locations.append(
                        .init(
                            version: version, state: isNeeded ? .hidden : .unreferenced, file: Self.logName(number),
                            level: nil, offset: record.offset, block: nil))
                }
            }
            history.findings += log.findings
        }
        search(manifest, EncodedKey.start(of: namespace) + key, &history)
        return (history, manifest.state.catalogue.records[namespace])
    }

    private func search(_ manifest: InspectedManifest, _ key: [UInt8], _ history: inout KeyHistory) {
        var named: Set<UInt64> = []
        for level in manifest.state.version.levels {
            for segment in level.segments {
                named.insert(segment.number)
                search(segment, key, level.level, &history)
            }
        }
        do throws(StorageError) {
            for number in try segmentNumbers() where !named.contains(number) {
                searchUnnamed(number, key, &history)
            }
        } catch {
            history.findings.append(Finding(error, in: StoreLayout.segmentDirectory))
        }
    }

    /// Searches a segment that the manifest does not name. If it can't be read, no data is lost: it is being written or
    /// deleted, or a crash left it unfinished.
    private func searchUnnamed(_ number: UInt64, _ key: [UInt8], _ history: inout KeyHistory) {
        do throws(StorageError) {
            search(try open(number), key, nil, &history)
        } catch {
            history.findings.append(Finding(.unreferenced, Self.segmentName(number), error.message))
        }
    }

    private func search(_ segment: Segment, _ key: [UInt8], _ level: Int?, _ history: inout KeyHistory) {
        do throws(StorageError) {
            for (entry, block) in try Self.versions(of: key, in: segment) {
                history.locations.append(
                    .init(
                        version: StoredVersion(entry), state: level == nil ? .unreferenced : .hidden,
                        file: Self.segmentName(segment.number), level: level,
                        offset: try segment.indexRow(block).handle.offset, block: block))
            }
        } catch {
            let name = Self.segmentName(segment.number)
            let finding = level == nil ? Finding(.unreferenced, name, error.message) : Finding(error, in: name)
            history.findings.append(finding)
        }
    }

    private static func versions(
        of key: [UInt8], in segment: Segment
    ) throws(StorageError) -> [(entry: BlockEntry, block: Int)] {
        let encoded = OwnedBytes(key)
        guard segment.smallestKey <= encoded.bytes, encoded.bytes <= segment.largestKey else { return [] }
        return try segment.versions(of: encoded.bytes)
    }
}

extension KeyHistory {
    /// Sorts the locations and sets each version's state. The newest version alone decides: DESIGN.md, "Visibility".
    fileprivate mutating func judge(_ namespace: NamespaceRecord?, _ now: Int64) {
        // Stable, because logs were searched first, then levels from the top.
        locations = locations.enumerated().sorted {
            ($0.element.version.sequence, $1.offset) > ($1.element.version.sequence, $0.offset)
        }.map(\.element)
        guard let newest = locations.first(where: { $0.state != .unreferenced })?.version.sequence else { return }
        for index in locations.indices where locations[index].version.sequence == newest {
            guard locations[index].state != .unreferenced else { continue }
            locations[index].state = Self.state(of: locations[index].version, namespace, now)
        }
    }

    private static func state(of version: StoredVersion, _ namespace: NamespaceRecord?, _ now: Int64) -> State {
        // A namespace that is not in the catalogue was dropped with all its entries.
        guard let namespace else { return .truncated }
        let isPresent = Visibility.isPresent(
            version.trailer, expiry: version.expiresAtMilliseconds ?? 0,
            truncatedThrough: namespace.truncatedThrough, purgedThrough: namespace.purgedThrough,
            wallMilliseconds: now)
        if isPresent { return .visible }
        if version.isDelete { return .deleted }
        if version.sequence <= namespace.truncatedThrough { return .truncated }
        return version.isPurgeable && version.sequence <= namespace.purgedThrough ? .purged : .expired
    }
}

/// One version of one key in a log or a segment.
public struct StoredVersion: Sendable, Hashable {
    public let namespace: NamespaceID
    public let key: [UInt8]
    public let sequence: SequenceNumber
    /// True if the version is a delete.
    public let isDelete: Bool
    public let isPurgeable: Bool
    /// The time of expiry in milliseconds since 1970; `nil` = never.
    public let expiresAtMilliseconds: Int64?
    /// The value as the engine stores it; empty if it is in a value file. In a typed store it is an envelope.
    public let value: [UInt8]
    /// The length of the value, wherever it is.
    public let valueByteCount: Int
    /// The number of the value file that has the value; `nil` if the value is with its key.
    public let valueFile: UInt64?

    init(_ namespace: NamespaceID, _ key: [UInt8], _ trailer: Trailer, expiry: Int64, value: [UInt8]) {
        self.namespace = namespace
        self.key = key
        sequence = trailer.sequence
        isDelete = trailer.kind.isDelete
        isPurgeable = trailer.kind.isPurgeable
        expiresAtMilliseconds = trailer.kind.hasExpiry ? expiry : nil
        let reference = trailer.kind.isReference ? StoredVersion.reference(value) : nil
        valueFile = reference?.file
        valueByteCount = reference?.count ?? value.count
        self.value = reference == nil ? value : []
    }

    /// Returns the reference in the place of a value; `nil` if it does not parse. Then the version shows its bytes.
    private static func reference(_ value: [UInt8]) -> ValueReference? {
        value.withBytes { bytes in
            do throws(ParseFailure) { return try ValueReference(decoding: bytes) } catch { return nil }
        }
    }

    /// The trailer of the stored version.
    var trailer: Trailer {
        Trailer(
            sequence,
            isDelete ? .delete : .put(purgeable: isPurgeable, hasExpiry: expiresAtMilliseconds != nil))
    }
}
