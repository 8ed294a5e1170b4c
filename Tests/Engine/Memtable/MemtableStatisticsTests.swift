import ShaleBase
import ShaleMemtable
import Testing

@Suite struct MemtableStatisticsTests {
    @Test func summariesCountEachNamespaceApart() throws {
        var model = try MemtableModel()
        model.insert([1], namespace: 5, value: [1, 2])
        model.insert([1], namespace: 6, kind: .put(purgeable: true, hasExpiry: false), value: [1, 2, 3])
        model.insert([1, 1], namespace: 5, kind: .put(purgeable: true, hasExpiry: true), expiry: 7)
        model.insert([1], namespace: 5, kind: .delete)
        let five = model.memtable.summary(of: NamespaceID(rawValue: 5))
        #expect(five.entries == 3)
        #expect(five.deletes == 1)
        #expect(five.purgeable == 1)
        #expect(five.expirable == 1)
        #expect(five.rawBytes == 7 + 6 + 5)
        #expect(five.purgeableRawBytes == 6)
        let all = model.memtable.summaries()
        #expect(Set(all.keys.map(\.rawValue)) == [5, 6])
        #expect(all[NamespaceID(rawValue: 6)]?.purgeableRawBytes == 8)
        #expect(model.memtable.summary(of: NamespaceID(rawValue: 7)) == MemtableSummary())
    }

    @Test func namespace0IsCountedLikeAnyOther() throws {
        var model = try MemtableModel()
        #expect(model.memtable.summaries().isEmpty)
        model.insert([1], namespace: 0)
        #expect(model.memtable.summary(of: NamespaceID(rawValue: 0)).entries == 1)
        #expect(model.memtable.summaries().count == 1)
    }

    @Test func firstAndLastSequenceBoundWhatWasInserted() throws {
        let memtable = Memtable(arena: try Arena(capacity: 1 << 20))
        for sequence: SequenceNumber in 41...50 {
            memtable.insert(
                namespace: NamespaceID(rawValue: 1), userKey: .empty, trailer: Trailer(sequence, .put), expiry: 0,
                value: .empty)
        }
        #expect(memtable.firstSequence == 41)
        #expect(memtable.lastSequence == 50)
        #expect(memtable.entryCount == 10)
    }
}
