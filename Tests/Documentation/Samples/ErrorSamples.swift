import Foundation
import Shale
import Testing

@Suite struct ErrorSamples {
    @Test func anErrorHasItsType() throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let drafts = store.common["drafts"]
        do {
            try drafts.set("Dear Ben", forKey: "letter")
        } catch {
            if error.code == .noSpace { try store.purgeNow() }
        }
        #expect(try drafts.string(forKey: "letter") == "Dear Ben")

        let path = place.path + "/letter"
        try "Dear Ada".write(toFile: path, atomically: true, encoding: .utf8)
        do {
            try drafts.set(try String(contentsOfFile: path, encoding: .utf8), forKey: "letter")
        } catch let error as StorageError where error.code == .noSpace {
            print("Nothing was written. A purge gives space back.")
        }
        #expect(try drafts.string(forKey: "letter") == "Dear Ada")
        try store.close()
    }

    @Test func aTaskKnowsTheTypeOfItsErrors() async throws {
        let place = try TemporaryPlace()
        defer { place.remove() }
        let store = try Store(at: place.path + "/store")
        let settings = store.common["settings"]
        try await store.close()
        let observer = Task {
            do throws(StorageError) {
                for try await theme in try settings.values(for: .theme) { print(theme) }
            } catch {
                print("No more themes: \(error.code)")
            }
        }
        await observer.value
    }

    /// The article "Errors" has a row for each code, and no other rows.
    @Test func everyCodeIsExplained() throws {
        let source = try Repository.read("Sources/Engine/Base/StorageError.swift")
        let codes = source.matches(of: /static let (\w+) = Code\(/).map { String($0.output.1) }
        let article = try Repository.read("Sources/Store/Shale.docc/ErrorCodes.md")
        let rows = article.matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.output.1) }
        #expect(codes.count > 20)
        #expect(rows.sorted() == codes.sorted())
    }
}
