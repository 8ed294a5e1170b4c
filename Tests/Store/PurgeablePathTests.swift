import Shale
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files outside the store.
@Suite struct PurgeablePathTests {
    @Test func withoutLimitsEverythingGoesAndTheDirectoryStays() throws {
        let place = try PathFixture()
        try place.write("tmp/a")
        try place.write("tmp/deep/er/b")
        try place.write("kept/a")
        try place.store.registerPurgeable([PurgeablePath("tmp")], under: place.root)
        let report = try #require(try place.store.purge().outside.first)
        #expect(report.files == 2 && report.returnedBytes == 8192 && report.failures.isEmpty)
        #expect(place.exists("tmp") && !place.exists("tmp/a") && !place.exists("tmp/deep"))
        #expect(place.exists("kept/a"))
    }

    @Test func filesThatAreTooOldAreRemoved() throws {
        let place = try PathFixture()
        try place.write("c/old", age: 100)
        try place.write("c/new", age: 50)
        try place.store.registerPurgeable([PurgeablePath("c", maximumAge: 80)], under: place.root)
        #expect(try place.store.purge().outside.first?.files == 1)
        #expect(!place.exists("c/old") && place.exists("c/new"))
        place.fixture.time.advance(milliseconds: 40_000)
        #expect(try place.store.purge().outside.first?.files == 1)
    }

    @Test func tooMuchIsBroughtDownFromTheOldest() throws {
        let place = try PathFixture()
        for index in 0..<10 { try place.write("c/\(index)", age: Double(index)) }
        let path = PurgeablePath("c", maximumBytes: 9 * 4096, trimTo: 0.5)
        try place.store.registerPurgeable([path], under: place.root)
        #expect(try place.store.purge().outside.first?.files == 6)
        #expect(place.exists("c/3") && !place.exists("c/4"))
        #expect(try place.store.purge().outside.first?.files == 0)
    }

    @Test func wildcardsMeetWholeComponents() throws {
        let place = try PathFixture()
        for path in ["logs/1/x.log", "logs/2/x.log", "logs/2/x.txt", "logs/x.log"] { try place.write(path) }
        try place.store.registerPurgeable([PurgeablePath("logs/*/*.log")], under: place.root)
        #expect(try place.store.purge().outside.first?.files == 2)
        #expect(place.exists("logs/2/x.txt") && place.exists("logs/x.log") && place.exists("logs/1"))
    }

    @Test func linksAreRemovedAndNotFollowed() throws {
        let place = try PathFixture()
        try place.write("kept/a")
        try place.write("tmp/b")
        for name in ["link", "up"] {
            try FileManager.default.createSymbolicLink(
                atPath: place.root + "/tmp/\(name)", withDestinationPath: place.root + "/kept")
        }
        try place.store.registerPurgeable([PurgeablePath("tmp"), PurgeablePath("tmp/up/*")], under: place.root)
        let reports = try place.store.purge().outside
        #expect(reports.map(\.files) == [3, 0])
        #expect(place.exists("kept/a") && !place.exists("tmp/link"))
    }

    @Test func aDryRunSaysTheSameAndDoesNothing() throws {
        let place = try PathFixture()
        try place.write("tmp/a")
        try place.store.registerPurgeable([PurgeablePath("tmp")], under: place.root)
        let report = try #require(try place.store.purgeDryRun().outside.first)
        #expect(report.files == 1 && report.returnedBytes == 4096)
        #expect(place.exists("tmp/a"))
    }

    @Test(arguments: ["", "/", "/tmp", "../x", "a/../b", "a//b", ".", "a/", "a\u{0}b"])
    func pathsThatLeadElsewhereAreRefused(_ path: String) throws {
        let place = try PathFixture()
        let found = code { () throws(StorageError) in
            try place.store.registerPurgeable([PurgeablePath("ok"), PurgeablePath(path)], under: place.root)
        }
        #expect(found == .invalidArgument)
        #expect(try place.store.purgeDryRun().outside.isEmpty)
    }

    @Test func listsComeAsJSONAndAsPropertyLists() throws {
        let place = try PathFixture()
        try place.write("a/x", age: 100)
        try place.write("b/x")
        let json = #"[{"path": "a/*", "maximumAge": 10}]"#
        try place.store.registerPurgeable(list: Data(json.utf8), under: place.root)
        let encoder = PropertyListEncoder()
        for format in [PropertyListDecoder.PropertyListFormat.binary, .xml] {
            encoder.outputFormat = format
            try place.store.registerPurgeable(
                list: try encoder.encode([PurgeablePath("b/*")]), under: place.root)
        }
        #expect(try place.store.purge().outside.map(\.files) == [1, 1, 0])
        for bad in ["", "{}", "[{\"path\": 1}]", "<plist>", "bplist00"] {
            let found = code { () throws(StorageError) in
                try place.store.registerPurgeable(list: Data(bad.utf8), under: place.root)
            }
            #expect(found == .codecFailure || found == .corruption)
        }
    }

    @Test func handlersRunLastAndMayFail() throws {
        let place = try PathFixture()
        place.store.registerPurgeable(named: "images") { (request) in
            PurgeHandlerResult(files: request.isDryRun ? 7 : 8, returnedBytes: 100)
        }
        place.store.registerPurgeable(named: "broken") { (_) throws(StorageError) in
            throw StorageError(.ioFailure, "no")
        }
        #expect(try place.store.purgeDryRun().outside.map(\.files) == [7, 0])
        let reports = try place.store.purge().outside
        #expect(reports.map(\.name) == ["images", "broken"])
        #expect(reports.map(\.files) == [8, 0])
        #expect(reports[1].failures.map(\.code) == [.ioFailure])
    }

    @Test func otherScopesLeaveFilesAlone() throws {
        let place = try PathFixture()
        try place.write("tmp/a")
        try place.store.registerPurgeable([PurgeablePath("tmp")], under: place.root)
        #expect(try place.store.purge(.common).outside.isEmpty)
        #expect(place.exists("tmp/a"))
    }
}
