import ShaleBase
import ShaleSegment

/// Reads everything of a possibly damaged segment in every way, and collects the errors.
struct ReadReport {
    var wrongAnswers: [String] = []
    var errors: [StorageError] = []

    init(_ fixture: SegmentFixture, _ metadata: SegmentMetadata, _ entries: [TestEntry]) {
        let segment = fixture.open(metadata)
        for entry in entries {
            note("lookup") { () throws(StorageError) in
                try segment.lookUp(entry.key, through: entry.sequence) == entry
            }
        }
        note("forward") { () throws(StorageError) in try EntryCursor(segment, headOffset: 4).entries() == entries }
        note("backward") { () throws(StorageError) in
            try EntryCursor(segment, headOffset: 4, options: .compaction).entries(.backward) == entries.reversed()
        }
        note("verify") { () throws(StorageError) in
            try segment.verify()
            return true
        }
    }

    private mutating func note(_ what: String, _ read: () throws(StorageError) -> Bool) {
        do {
            if !(try read()) { wrongAnswers.append(what) }
        } catch {
            errors.append(error)
        }
    }
}
