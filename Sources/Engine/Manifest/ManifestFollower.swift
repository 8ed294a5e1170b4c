package import ShaleBase
import ShaleLog
package import ShalePlatform
package import ShaleSegment

/// The state in the manifest of a store that another process has open: read once, and then as far as it has grown. One
/// thread at a time.
package final class ManifestFollower {
    /// The result of a call of ``advance()``.
    package struct News: Sendable {
        /// True if the state has changed.
        package private(set) var isAny = false
        /// True if the catalogue may have changed: namespaces, their options or their watermarks.
        package private(set) var concernsCatalogue = false

        private init(isAny: Bool = false, concernsCatalogue: Bool = false) {
            self.isAny = isAny
            self.concernsCatalogue = concernsCatalogue
        }

        package static let none = News()
        static let segments = News(isAny: true)
        package static let everything = News(isAny: true, concernsCatalogue: true)

        package mutating func formUnion(_ other: News) {
            isAny = isAny || other.isAny
            concernsCatalogue = concernsCatalogue || other.concernsCatalogue
        }
    }

    package private(set) var state: StoreState
    private var current: CurrentFile
    private var log: LogFollower
    private let directory: any Directory
    private let makeSegment: (SegmentMetadata) -> Segment

    /// Reads the manifest that CURRENT names.
    package init(
        in directory: any Directory, makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(StorageError) {
        self.directory = directory
        self.makeSegment = makeSegment
        (current, state, log) = try ManifestFollower.read(in: directory, makeSegment)
    }

    /// The file CURRENT that was read last.
    package var identity: CurrentFile { current }

    private static func read(
        in directory: any Directory, _ makeSegment: @escaping (SegmentMetadata) -> Segment
    ) throws(StorageError) -> (CurrentFile, StoreState, LogFollower) {
        let current = try CurrentFile.read(in: directory)
        let file = try Manifest.open(current, in: directory)
        do throws(StorageError) {
            let replayed = try Manifest.read(current, file, makeSegment: makeSegment)
            let log = LogFollower(
                file, path: StoreLayout.manifest(current.manifestNumber), number: current.manifestNumber,
                kind: .manifest, position: replayed.end.offset)
            return (current, replayed.state, log)
        } catch {
            file.close()
            throw error
        }
    }

    /// Reads what was added since the last call.
    ///
    /// If the owner has begun another manifest, that one is read instead. Segments that both states have stay the same
    /// objects. After an error the state is that of an earlier call.
    package func advance() throws(StorageError) -> News {
        let now = try CurrentFile.read(in: directory)
        guard now == current || PlantedBug.isActive(.trustOldManifest) else { return try switchManifest() }
        var replay = RecordReplay(log.path, from: state, makeSegment: makeSegment)
        var news = News.none
        let start = log.position
        do throws(StorageError) {
            try log.readOn { (record) throws(StorageError) in
                news.formUnion(try replay.apply(record).concernsCatalogue ? .everything : .segments)
                return true
            }
            guard news.isAny else { return news }
            state = try replay.finish(at: start)
            return news
        } catch {
            // The edits that were read before the error are read again.
            log.rewind(to: start)
            throw error
        }
    }

    private func switchManifest() throws(StorageError) -> News {
        let before = state.version
        var known: [UInt64: Segment] = [:]
        for segment in before.levels.flatMap(\.segments) { known[segment.number] = segment }
        let id = current.storeID
        let next = try ManifestFollower.read(in: directory) { [makeSegment] metadata in
            if let segment = known[metadata.number], segment.metadata.fileBytes == metadata.fileBytes {
                return segment
            }
            return makeSegment(metadata)
        }
        guard next.0.storeID == id else {
            throw StorageError(.outdated, "the directory holds another store now", file: StoreLayout.current)
        }
        (current, state, log) = next
        return .everything
    }
}

extension ManifestEdit {
    /// True if the edit may change namespaces, their options or their watermarks.
    fileprivate var concernsCatalogue: Bool {
        facts.contains { fact in
            switch fact {
            case .namespaceCreated, .namespaceOptions, .namespaceDropped, .truncated, .purged, .nextNamespaceID: true
            default: false
            }
        }
    }
}
