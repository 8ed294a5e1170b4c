public import ShaleBase
import ShaleLog
import ShaleManifest
import ShalePlatform
import ShaleSegment

/// The content of CURRENT and the manifest.
public struct InspectedManifest: Sendable {
    /// A record of the manifest.
    public struct Edit: Sendable, Hashable {
        public let offset: UInt64
        public let facts: [ManifestFact]
    }

    /// A namespace of the catalogue.
    public struct NamespaceFacts: Sendable, Hashable {
        public let id: NamespaceID
        /// The name in bytes, encoded by the layer above: Shale.docc, "Names and options of namespaces".
        public let name: [UInt8]
        public let options: [UInt8]
        public let truncatedThrough: SequenceNumber
        public let purgedThrough: SequenceNumber
    }

    /// `MANIFEST-…`
    public let file: String
    /// The store's id: 16 bytes as hexadecimal digits.
    public let storeID: String
    public let createdMilliseconds: Int64
    /// The edits up to the first damaged one.
    public internal(set) var edits: [Edit] = []
    /// The live namespaces after all edits; empty if the edits contradict each other.
    public internal(set) var namespaces: [NamespaceFacts] = []
    public internal(set) var segments: [SegmentFacts] = []
    public internal(set) var lastSequence: SequenceNumber = 0
    /// The oldest log that recovery needs; 0 = none.
    public internal(set) var logFloor: UInt64 = 0
    public internal(set) var newestLog: UInt64 = 0
    public internal(set) var nextFileNumber: UInt64 = 0
    public internal(set) var findings: [Finding] = []

    var state = StoreState()

    init(_ current: CurrentFile) {
        file = StoreLayout.manifest(current.manifestNumber)
        storeID = [current.storeID.high, current.storeID.low].map(\.byteSwapped.hexadecimalDigits).joined()
        createdMilliseconds = current.createdMilliseconds
    }

    mutating func take(_ state: StoreState) {
        self.state = state
        lastSequence = state.lastSequence
        logFloor = state.logFloor
        newestLog = state.newestLog
        nextFileNumber = state.nextFileNumber
        namespaces = state.catalogue.records.values.sorted { $0.id < $1.id }.map {
            NamespaceFacts(
                id: $0.id, name: $0.name, options: $0.options, truncatedThrough: $0.truncatedThrough,
                purgedThrough: $0.purgedThrough)
        }
        segments = state.version.levels.flatMap { level in
            level.segments.map { SegmentFacts($0.metadata, level: level.level) }
        }
    }
}

extension StoreInspector {
    /// Reads CURRENT and the manifest that it names.
    ///
    /// - Throws: The error that prevents identifying the manifest: `.missing`, `.corruption` or `.newerFormat` of
    ///   CURRENT.
    /// - Complexity: O(edits).
    public func manifest() throws(StorageError) -> InspectedManifest {
        try readUntilStable({ $0.findings }) { () throws(StorageError) in try readManifest() }
    }

    private func readManifest() throws(StorageError) -> InspectedManifest {
        let current = try CurrentFile.read(in: root)
        var result = InspectedManifest(current)
        do throws(StorageError) {
            try read(&result, number: current.manifestNumber)
        } catch {
            result.findings.append(Finding(error, in: result.file))
        }
        return result
    }

    private func read(_ result: inout InspectedManifest, number: UInt64) throws(StorageError) {
        let name = result.file
        let file: any ReadableFile
        do { file = try root.open(name) } catch { throw error.storageError }
        defer { file.close() }
        let reader = try LogReader(file: file, path: name, number: number, kind: .manifest)
        let segments = try segments()
        var replay = StateReplay(from: StoreState()) { [environment] in
            Segment(metadata: $0, directory: segments, environment: environment)
        }
        while let record = try reader.next() {
            let edit: ManifestEdit
            do throws(StorageError) {
                edit = try ManifestEdit(decoding: record.payload)
            } catch {
                throw error.inFile(name, at: record.offset)
            }
            result.edits.append(.init(offset: record.offset, facts: edit.facts.map { ManifestFact($0) }))
            do throws(ParseFailure) { try replay.apply(edit) } catch { throw contradiction(error, name, record.offset) }
        }
        if let end = reader.end, end.wasTorn {
            result.findings.append(
                Finding(.tornTail, name, "an edit was not finished bytes=\(end.tornBytes)", offset: end.offset))
        }
        do throws(ParseFailure) {
            result.take(try replay.finish())
        } catch {
            throw contradiction(error, name, result.edits.last?.offset ?? 0)
        }
    }

    private func contradiction(_ failure: ParseFailure, _ name: String, _ offset: UInt64) -> StorageError {
        .corruption("the manifest contradicts itself: \(failure.reason)", file: name, offset: offset)
    }
}
