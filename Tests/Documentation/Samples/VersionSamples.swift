import Foundation
import Shale
import Testing

struct TrackV1: Codable, Sendable {
    var title: String
    var length: Int
}

struct TrackV2: Codable, Sendable {
    var title: String
    var seconds: Double
}

struct Track: Codable, Sendable, Equatable {
    var title: String
    var seconds: Double
    var tags: [String]

    static let codec = VersionedCodec(TrackV1.self)
        .then(TrackV2.self) { TrackV2(title: $0.title, seconds: Double($0.length)) }
        .then(Track.self) { Track(title: $0.title, seconds: $0.seconds, tags: []) }
}

extension Keys { static let favourite = Key<Track?>("favourite", using: Track.codec) }

@Suite struct VersionSamples {
    @Test func valuesAreReadWrittenAndRecovered() throws {
        let store = try Store.inMemory()
        let tracks = store.common["tracks"]
        try tracks.set(TrackV1(title: "Naima", length: 261), forKey: "old")
        try tracks.set(Track(title: "Naima", seconds: 261, tags: []), for: .favourite)
        try tracks.set(Track(title: "So What", seconds: 562, tags: ["jazz"]), forKey: "a", using: Track.codec)
        let track = try tracks.value(forKey: "old", using: Track.codec)  // written by an earlier version
        try tracks.update(for: .favourite) { $0?.tags.append("live") }
        #expect(track == Track(title: "Naima", seconds: 261, tags: []))
        #expect(try tracks.value(for: .favourite)?.tags == ["live"])

        try tracks.set(["title": "Naima"], forKey: "odd")
        let lenient = Track.codec.recovering { failure in
            guard failure.error.code == .codecFailure else { throw failure.error }
            return Track(title: "unreadable", seconds: 0, tags: [])
        }
        let shown = try tracks.value(forKey: "odd", using: lenient)
        #expect(shown?.title == "unreadable")
        try store.close()
    }

    @Test func valuesAreMigrated() async throws {
        let store = try Store.inMemory()
        let tracks = store.common["tracks"]
        try tracks.set(TrackV1(title: "Naima", length: 261), forKey: "old")
        let report = try await tracks.migrateValues(in: KeyRange.all, using: Track.codec) { progress in
            print("\(progress.migrated) of \(progress.examined) migrated, \(Int(progress.fraction * 100)) %")
        }
        if !report.isComplete { print(report.newer, report.failed, report.changed) }
        #expect(report.isComplete && report.migrated == 1)
        try await store.close()
    }
}
