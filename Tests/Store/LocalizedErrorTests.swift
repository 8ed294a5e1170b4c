import Foundation
import Shale
import Testing

/// Texts of errors for users.
@Suite struct LocalizedErrorTests {
    /// Every code that the source declares.
    static let codes: [StorageError.Code] = {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let file = root.appendingPathComponent("Sources/Engine/Base/StorageError.swift")
        guard let source = try? String(contentsOf: file, encoding: .utf8) else { return [] }
        return source.matches(of: /static let \w+ = Code\(rawValue: "(\w+)"\)/).map {
            StorageError.Code(rawValue: String($0.1))
        }
    }()

    @Test func allCodesAreFound() {
        #expect(LocalizedErrorTests.codes.count >= 25)
        #expect(Set(LocalizedErrorTests.codes) == Set(ErrorAdvice.table.keys))
    }

    @Test(arguments: codes)
    func aCodeHasADescriptionAndASuggestion(_ code: StorageError.Code) throws {
        let error = StorageError(code, "details value=1", file: "000012.log", offset: 40)
        let description = try #require(error.errorDescription)
        let suggestion = try #require(error.recoverySuggestion)
        for text in [description, suggestion] {
            #expect(text.hasSuffix("."), "\(code): \(text)")
            #expect(text.first?.isUppercase == true, "\(code): \(text)")
            #expect(!text.contains("  "), "\(code): \(text)")
        }
        #expect(error.failureReason == "details value=1 file=000012.log offset=40")
        #expect((error as any Error).localizedDescription == description)
    }

    @Test func descriptionsDiffer() {
        let descriptions = ErrorAdvice.table.values.map(\.description)
        #expect(Set(descriptions).count == descriptions.count)
    }

    @Test func anUnknownCodeIsDescribedByItsName() {
        let error = StorageError(StorageError.Code(rawValue: "later"), "details")
        #expect(error.errorDescription == "The store reported an error (later).")
        #expect(error.recoverySuggestion == nil)
    }
}
