import Shale
import ShaleCollections
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Orders that a condition fixes in part: an index delivers them without a sort.
@Suite struct FixedOrderTests {
    private let fixture: CollectionFixture
    private let people: RecordCollection<Person>
    private let all: [Person]

    init() throws {
        fixture = try CollectionFixture()
        people = try fixture.filled(400)
        all = (0..<400).map(Person.numbered)
    }

    private var lund: RecordQuery<Person> { people.query(#Predicate { $0.city == "Lund" }) }

    private func expect(
        _ query: RecordQuery<Person>, isSorted: Bool, _ wanted: [Person], _ place: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try query.explain().isSorted == isSorted, sourceLocation: place)
        #expect(try query.records().map(\.id) == wanted.map(\.id), sourceLocation: place)
        var (pages, cursor): ([Person], QueryCursor?) = ([], nil)
        repeat {
            let page = try query.limit(17).after(cursor).page()
            pages += page.records
            cursor = page.next
        } while cursor != nil
        #expect(pages.map(\.id) == wanted.map(\.id), sourceLocation: place)
    }

    @Test func anOrderBehindAnEqualColumnNeedsNoSort() throws {
        let wanted = all.filter { $0.city == "Lund" }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        try expect(lund.ordered(by: .ascending(\.name)), isSorted: false, wanted)
        try expect(lund.ordered(by: .descending(\.name)), isSorted: false, wanted.reversed())
        let read = try lund.ordered(by: .ascending(\.name)).limit(5).explain()
        #expect(read.recordsRead == 5)
    }

    @Test func aCriterionThatTheConditionFixesDecidesNothing() throws {
        let wanted = all.filter { $0.city == "Lund" }.sorted { ($0.name, $0.id) < ($1.name, $1.id) }
        try expect(lund.ordered(by: .ascending(\.city), .ascending(\.name)), isSorted: false, wanted)
        try expect(lund.ordered(by: .descending(\.city), .ascending(\.name)), isSorted: false, wanted)
        // The keys of equal records follow the last criterion, also if it is fixed.
        let downwards = all.filter { $0.city == "Lund" }.sorted { ($0.name, $1.id) < ($1.name, $0.id) }
        try expect(lund.ordered(by: .ascending(\.name), .descending(\.city)), isSorted: true, downwards)
        let both = people.query(#Predicate { $0.city == "Lund" && $0.name == "n3" })
        let few = all.filter { $0.city == "Lund" && $0.name == "n3" }
        try expect(both.ordered(by: .ascending(\.name), .ascending(\.city)), isSorted: false, few)
        try expect(both.ordered(by: .descending(\.name)), isSorted: false, few.reversed())
    }

    @Test func theKeyDecidesBeforeLaterCriteria() throws {
        let query = people.query(#Predicate { $0.id >= 100 })
        let wanted = all.filter { $0.id >= 100 }
        try expect(query.ordered(by: .ascending(\.id), .descending(\.name)), isSorted: false, wanted)
        try expect(query.ordered(by: .descending(\.id), .ascending(\.age)), isSorted: false, wanted.reversed())
    }

    @Test func aCursorContinuesInAQueryWithAnotherCondition() throws {
        let oslo = people.query(#Predicate { $0.city == "Oslo" })
        for (first, second, city) in [(lund, oslo, "Oslo"), (oslo, lund, "Lund")] {
            let page = try first.ordered(by: .ascending(\.name)).limit(100).page()
            let last = try #require(page.records.last)
            let wanted = all.filter { $0.city == city && ($0.name, $0.id) > (last.name, last.id) }
                .sorted { ($0.name, $0.id) < ($1.name, $1.id) }
            let found = try second.ordered(by: .ascending(\.name)).after(page.next).records()
            #expect(found.map(\.id) == wanted.map(\.id))
        }
    }
}
