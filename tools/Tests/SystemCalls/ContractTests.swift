import Testing

@testable import SystemCalls

/// Each rule accepts a correct trace, and detects the same trace with one violation.
@Suite struct ContractTests {
    /// The calls of a store that replaces its manifest.
    private static let right = [
        #"openat(AT_FDCWD</>, "/s", O_RDONLY|O_DIRECTORY|O_NOFOLLOW|O_CLOEXEC) = 3</s>"#,
        #"openat(3</s>, "MANIFEST-0000000007", O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600) = "#
            + "4</s/MANIFEST-0000000007>",
        #"pwrite64(4</s/MANIFEST-0000000007>, "abc", 3, 0) = 3"#,
        #"fdatasync(4</s/MANIFEST-0000000007>) = 0"#,
        #"fsync(3</s>) = 0"#,
        #"openat(3</s>, "CURRENT.tmp", O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600) = 5</s/CURRENT.tmp>"#,
        #"pwrite64(5</s/CURRENT.tmp>, "SHALECUR\1\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0", 24, 0) = 24"#,
        #"fdatasync(5</s/CURRENT.tmp>) = 0"#,
        #"renameat(3</s>, "CURRENT.tmp", 3</s>, "CURRENT") = 0"#,
        #"fsync(3</s>) = 0"#,
        #"unlinkat(3</s>, "MANIFEST-0000000001", 0) = 0"#,
    ]

    private static func broken(_ lines: [String]) -> Set<String> {
        let history = History(Trace(lines.map { "12 " + $0 }.joined(separator: "\n")), store: "/s")
        return Set(Contract.rules.filter { !$0.check(history).isEmpty }.map(\.name))
    }

    private static func without(_ line: Int) -> [String] {
        var lines = right
        lines.remove(at: line)
        return lines
    }

    @Test func aRightTracePasses() { #expect(Self.broken(Self.right).isEmpty) }

    @Test func missingSyncsAreNoticed() {
        #expect(Self.broken(Self.without(3)) == [Contract.current.name])
        #expect(Self.broken(Self.without(4)) == [Contract.current.name])
        #expect(Self.broken(Self.without(7)) == [Contract.current.name])
        #expect(Self.broken(Self.without(9)) == [Contract.removals.name])
    }

    @Test func looseDescriptorsAndModesAreNoticed() {
        func changed(_ from: String, _ to: String) -> [String] {
            Self.right.map { $0.contains(from) && $0.contains("MANIFEST") ? $0.replacing(from, with: to) : $0 }
        }
        #expect(Self.broken(changed("|O_CLOEXEC", "")) == [Contract.descriptors.name])
        #expect(Self.broken(changed("|O_NOFOLLOW", "")) == [Contract.descriptors.name])
        #expect(Self.broken(changed("|O_EXCL", "")) == [Contract.creations.name])
        #expect(Self.broken(changed("0600", "0644")) == [Contract.creations.name])
    }

    @Test func logsOutOfOrderAreNoticed() {
        let lines = [
            #"pwrite64(4</s/wal/0000000002.wal>, "abc", 3, 0) = 3"#, #"fdatasync(4</s/wal/0000000002.wal>) = 0"#,
            #"pwrite64(5</s/wal/0000000003.wal>, "abc", 3, 0) = 3"#, #"fdatasync(5</s/wal/0000000003.wal>) = 0"#,
        ]
        #expect(Self.broken(lines).isEmpty)
        #expect(Self.broken([lines[0], lines[2], lines[3]]) == [Contract.order.name])
    }

    @Test func writesAndRetriesAfterAFailureAreNoticed() {
        let failure = #"fdatasync(4</s/wal/0000000002.wal>) = -1 EIO (Input/output error) (INJECTED)"#
        let write = #"pwrite64(4</s/wal/0000000002.wal>, "abc", 3, 3) = 3"#
        #expect(Self.broken([write, failure]).isEmpty)
        #expect(Self.broken([failure, write]) == [Contract.failures.name])
        #expect(Self.broken([failure, #"fdatasync(4</s/wal/0000000002.wal>) = 0"#]) == [Contract.failures.name])
        #expect(Self.broken([failure, write.replacing("2.wal", with: "3.wal")]) == [Contract.failures.name])
        let manifest = #"pwrite64(5</s/MANIFEST-0000000007>, "abc", 3, 0) = 3"#
        #expect(Self.broken([failure, manifest]).isEmpty)
        #expect(
            Self.broken([failure.replacing("wal/0000000002.wal", with: "MANIFEST-0000000001"), manifest]) == [
                Contract.failures.name
            ])
    }

    @Test func acknowledgementsWithoutASyncAreNoticed() {
        let begins = #"write(1</out>, "mark: synced write begins\n", 26) = 26"#
        let returned = #"write(1</out>, "mark: synced write returned\n", 28) = 28"#
        let sync = #"fdatasync(4</s/wal/0000000002.wal>) = 0"#
        #expect(Self.broken([begins, sync, returned]).isEmpty)
        #expect(Self.broken([sync, begins, returned]) == [Contract.acknowledgements.name])
    }

    @Test func segmentsNamedBeforeTheyAreDurableAreNoticed() {
        // One whole chunk: a segment with number 5, added to level 0.
        let edit = #"\0\0\0\0\0\0\0\0\17\0\1\0\0\0\0\0\0\0\0\0\f\0\t\0\0\0\0\5\0\0\0\0\0\0\0"#
        let lines = [
            #"openat(3</s/segments>, "0000000005.seg", O_RDWR|O_CREAT|O_EXCL|O_NOFOLLOW|O_CLOEXEC, 0600) = "#
                + "4</s/segments/0000000005.seg>",
            #"pwrite64(4</s/segments/0000000005.seg>, "abc", 3, 0) = 3"#,
            #"fdatasync(4</s/segments/0000000005.seg>) = 0"#, #"fsync(3</s/segments>) = 0"#,
            #"pwrite64(5</s/MANIFEST-0000000007>, ""# + edit + #"", 35, 64) = 35"#,
        ]
        #expect(Self.broken(lines).isEmpty)
        #expect(Self.broken([lines[0], lines[1], lines[3], lines[4]]) == [Contract.references.name])
        #expect(Self.broken([lines[0], lines[1], lines[2], lines[4]]) == [Contract.references.name])
    }

    @Test func callsOnTwoLinesAreOne() {
        let trace = Trace(
            """
            1 fdatasync(4</s/wal/0000000002.wal> <unfinished ...>
            2 fsync(3</s>) = 0
            1 <... fdatasync resumed>)      = 0
            """)
        #expect(trace.calls.map(\.name) == ["fdatasync", "fsync"])
        #expect(trace.calls.map(\.end) == [2, 1])
    }
}
