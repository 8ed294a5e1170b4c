import Shale
import ShaleBase
import ShaleMaintenance
import ShalePlatform
import TestSupport
import Testing

/// Dumps of a namespace, a subtree or a user, and loads of them into open stores.
@Suite struct NamespaceDumpTests {
    private struct Item: Codable, Equatable { var name: String, count: Int }

    private let store: Store
    private let time = ManualTime()

    init() throws { store = try NamespaceDumpTests.store(time) }

    private static func store(_ time: ManualTime, isEncrypted: Bool = true) throws -> Store {
        var options = Store.Options()
        options.engine.time = time
        options.encryption = isEncrypted ? EditedDump.encryption : nil
        return try Store.inMemory(options: options)
    }

    private func dump(
        _ namespace: Store.Namespace, _ options: NamespaceDumpOptions = NamespaceDumpOptions()
    ) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try Maintenance.dump(namespace, options: options) { bytes += Self.bytes(of: $0) }
        return bytes
    }

    private func dump(_ space: Store.Space) throws(StorageError) -> [UInt8] {
        var bytes: [UInt8] = []
        try Maintenance.dump(space) { bytes += Self.bytes(of: $0) }
        return bytes
    }

    private static func bytes(of span: RawSpan) -> [UInt8] { unsafe span.withUnsafeBytes { unsafe Array($0) } }

    /// Returns a function that delivers `bytes` in small pieces.
    private func pieces(_ bytes: [UInt8]) -> () -> [UInt8] {
        var rest = bytes[...]
        return {
            defer { rest = rest.dropFirst(100) }
            return Array(rest.prefix(100))
        }
    }

    private func load(
        _ bytes: [UInt8], into namespace: Store.Namespace, _ options: NamespaceLoadOptions = NamespaceLoadOptions()
    ) throws(StorageError) -> NamespaceLoadReport {
        let next = pieces(bytes)
        return try Maintenance.load(into: namespace, options: options) { next() }
    }

    @Test func aNamespaceIsLoadedUnderAnotherNameOfAnotherStore() throws {
        let orders = store.common["orders"]
        try orders.setOptions(NamespaceOptions(timeToLive: .seconds(1000), purgePolicy: .age(.seconds(500))))
        try orders.set(Item(name: "tea", count: 2), forKey: "item")
        try orders.set(-7, forKey: "int", options: .purgeable)
        try orders.set("\u{1F375} \"x\"\n", forKey: "text", options: .neverExpires)
        try orders.set([0xFF, 0x00], forKey: EntryKey([0xFE, 0x01]))
        try store.common["other"].set(1, forKey: "k")
        let bytes = try dump(orders)
        time.advance(milliseconds: 100_000)

        let other = try Self.store(time, isEncrypted: false)
        let target = other.user("u1")["copies"].child("orders")
        let report = try load(bytes, into: target)
        #expect(report.entries == 4 && report.namespaces == 1 && report.keptEntries == 0)
        #expect(try target.keys.array() == orders.keys.array())
        for key in try orders.keys.array() {
            #expect(try target.payload(forKey: key)?.bytes == orders.payload(forKey: key)?.bytes)
            #expect(try target.info(forKey: key) == orders.info(forKey: key))
        }
        #expect(try target.options == orders.options)
        #expect(other.common.namespaceNames.isEmpty)
        try other.close()
        try store.close()
    }

    @Test func aSubtreeKeepsItsShape() throws {
        let root = store.common["a"].child("b")
        try root.child("x").child("y").set(1, forKey: "deep")
        try root.set(2, forKey: "root")
        try store.common["a"].set(3, forKey: "above")
        try store.common["a"].child("bc").set(4, forKey: "beside")
        let whole = try dump(root, NamespaceDumpOptions(includesSubtree: true))
        #expect(try load(whole, into: store.common["z"]).namespaces == 2)
        #expect(try store.common["z"].int(forKey: "root") == 2)
        #expect(try store.common["z"].child("x").child("y").int(forKey: "deep") == 1)
        #expect(store.common["z"].childNames == ["x"])
        #expect(try load(try dump(root), into: store.common["w"]).namespaces == 1)
        #expect(store.common["w"].childNames.isEmpty)
        // A root that does not exist has children all the same.
        try root.drop()
        let headless = try dump(root, NamespaceDumpOptions(includesSubtree: true))
        try #expect(load(headless, into: store.common["v"]).entries == 1)
        #expect(try store.common["v"].child("x").child("y").int(forKey: "deep") == 1)
        try store.close()
    }

    @Test func theNamespacesOfAUserBecomeThoseOfAnother() throws {
        try store.user("ann")["drafts"].child("2026").set("tea", forKey: "k")
        try store.user("ann")["settings"].set(true, forKey: "k")
        try store.user("anna")["settings"].set(false, forKey: "k")
        let bytes = try dump(store.user("ann"))
        let next = pieces(bytes)
        let report = try Maintenance.load(into: store.user("ben")) { next() }
        #expect(report.entries == 2)
        #expect(try store.user("ben")["drafts"].child("2026").string(forKey: "k") == "tea")
        #expect(try store.user("ben")["settings"].bool(forKey: "k") == true)
        #expect(store.user("ben").namespaceNames == ["drafts", "settings"])
        try #expect(load(bytes, into: store.common["ann"]).entries == 2)
        #expect(store.common["ann"].childNames == ["drafts", "settings"])
        let ofOne = pieces(try dump(store.user("ann")["settings"]))
        let found = code { () throws(StorageError) in try Maintenance.load(into: store.user("ben")) { ofOne() } }
        #expect(found == .invalidArgument)
        try store.close()
    }

    @Test func aNamespaceThatExistsKeepsItsOptionsAndItsOtherKeys() throws {
        let source = store.common["source"]
        try source.setOptions(NamespaceOptions(isPurgeable: true))
        for (key, value) in [("a", 1), ("b", 2)] { try source.set(value, forKey: key) }
        let bytes = try dump(source)
        let target = store.common["target"]
        for (key, value) in [("b", 20), ("c", 30)] { try target.set(value, forKey: key) }
        let report = try load(bytes, into: target, NamespaceLoadOptions(keepsExisting: true))
        #expect(report.entries == 1 && report.keptEntries == 1)
        #expect(try target.entries.array().map { try $0.value(as: Int.self) } == [1, 20, 30])
        #expect(try load(bytes, into: target).entries == 2)
        #expect(try target.entries.array().map { try $0.value(as: Int.self) } == [1, 2, 30])
        #expect(try target.options == .standard)
        #expect(try target.info(forKey: "a")?.isPurgeable == true)
        _ = try load(bytes, into: store.common["plain"], NamespaceLoadOptions(setsOptions: false))
        #expect(try store.common["plain"].options == .standard)
        try store.close()
    }

    @Test func encryptedValuesAreDumpedOnlyDecryptedAndSealedAgainByTheirNewNamespace() throws {
        let secret = store.common["secret"]
        try secret.setOptions(NamespaceOptions(isEncrypted: true))
        try secret.set("word", forKey: "k")
        #expect(code { () throws(StorageError) in try dump(secret) } == .cipherMismatch)
        let bytes = try dump(secret, NamespaceDumpOptions(decryptsValues: true))
        #expect(String(decoding: bytes, as: UTF8.self).contains("word"))

        _ = try load(bytes, into: store.common["copy"])
        #expect(try store.common["copy"].options.isEncrypted)
        #expect(try store.common["copy"].info(forKey: "k")?.isEncrypted == true)
        #expect(try store.common["copy"].string(forKey: "k") == "word")
        _ = try load(bytes, into: store.common["plain"], NamespaceLoadOptions(setsOptions: false))
        #expect(try store.common["plain"].info(forKey: "k")?.isEncrypted == false)

        let other = try Self.store(time, isEncrypted: false)
        let found = code { () throws(StorageError) in try load(bytes, into: other.common["n"]) }
        #expect(found == .cipherMismatch)
        #expect(try other.common["n"].count() == 0)
        try other.close()
        try store.close()
    }

    @Test func wrongDumpsAreRefusedWithTheirLine() throws {
        try store.common["n"].set(1, forKey: "a")
        let lines = String(decoding: try dump(store.common["n"]), as: UTF8.self).split(separator: "\n").map(String.init)
        #expect(lines.count == 4 && lines[0].hasPrefix(#"{"shaleDump":2,"#))
        func error(_ lines: [String]) -> StorageError? {
            do throws(StorageError) {
                _ = try load(Array(lines.map { $0 + "\n" }.joined().utf8), into: store.common["target"])
                return nil
            } catch {
                return error
            }
        }
        let wrong: [([String], String)] = [
            (Array(lines.dropLast()), "the dump is cut short"), ([], "the dump is cut short"),
            ([#"{"shaleDump":1,"nextNamespace":9}"#] + lines.dropFirst(), "line 1 of the dump"),
            ([#"{"shaleDump":3,"nextNamespace":9,"root":[]}"#], "line 1 of the dump"),
            (Array(lines.dropFirst()), "line 1 of the dump"), ([lines[0], lines[2]], "line 2 of the dump"),
            ([lines[0], #"{"namespace":1,"path":["m"]}"#], "line 2 of the dump"),
            ([lines[0], #"{"namespace":1,"user":"u","path":["n"]}"#], "line 2 of the dump"),
            ([lines[0], lines[1], lines[1]], "line 3 of the dump"),
            ([lines[0], lines[1], lines[2], lines[2]], "line 4 of the dump"),
            ([lines[0], lines[1], #"{"k":"a","c":4,"v64":"AA=="}"#], "line 3 of the dump"),
            ([lines[0], lines[1], #"{"k":"a","raw64":"AAECAQAAAAAAAAAAAAAAAAAA"}"#], "line 3 of the dump"),
            ([lines[0], lines[1], lines[2], #"{"end":2}"#], "the last line announces 2"),
        ]
        for (lines, message) in wrong {
            let found = try #require(error(lines))
            #expect(found.code == .invalidArgument && found.message.hasPrefix(message), "\(found)")
        }
        #expect(error(lines) == nil)
        try store.close()
    }

    @Test func aDumpOfANamespaceMakesNoStore() throws {
        try store.common["n"].set(1, forKey: "a")
        let next = pieces(try dump(store.common["n"]))
        let files = MemoryFileSystem()
        let found = code { () throws(StorageError) in
            try Maintenance.load(into: "/new", options: .init(), fileSystem: files) { next() }
        }
        #expect(found == .invalidArgument)
        try store.close()
    }

    @Test func aDumpShowsOneMoment() throws {
        let namespace = store.common["n"]
        for index in 1000..<3000 { try namespace.set(String(repeating: "v", count: 1000), forKey: "\(index)") }
        var bytes: [UInt8] = []
        var pieceCount = 0
        try Maintenance.dump(
            namespace,
            to: { (piece) throws(StorageError) in
                bytes += Self.bytes(of: piece)
                pieceCount += 1
                try namespace.set("later", forKey: "\(4000 + pieceCount)")
                try namespace.removeAll(prefix: "29")
            })
        #expect(pieceCount >= 2)
        #expect(try load(bytes, into: store.common["copy"]).entries == 2000)
        #expect(try !store.common["copy"].contains("4001"))
        try store.close()
    }

    @Test func dumpsAndLoadsAreCancelledByTheirCallers() throws {
        let namespace = store.common["n"]
        for index in 1000..<3000 { try namespace.set(String(repeating: "v", count: 1000), forKey: "\(index)") }
        let cancelled = StorageError(.cancelled, "enough")
        var seen: [MaintenanceProgress] = []
        let found = code { () throws(StorageError) in
            try Maintenance.dump(
                namespace,
                progress: { (step) throws(StorageError) in
                    seen.append(step)
                    throw cancelled
                }, to: { _ in })
        }
        #expect(found == .cancelled)
        #expect(seen.count == 1 && (1 << 20)...(2 << 20) ~= seen[0].bytes && seen[0].totalBytes >= seen[0].bytes)
        let next = pieces(try dump(namespace))
        var count = 0
        let stopped = code { () throws(StorageError) in
            try Maintenance.load(into: store.common["copy"]) { () throws(StorageError) in
                count += 1
                if count > 15_000 { throw cancelled }
                return next()
            }
        }
        #expect(stopped == .cancelled)
        let copied = try store.common["copy"].count()
        #expect(copied > 0 && copied < 2000, "finished steps stay")
        try store.close()
    }

    @Test func aLoadKeepsToACapacity() throws {
        for index in 100..<300 { try store.common["n"].set(index, forKey: "\(index)", options: .purgeable) }
        let target = store.common["small"]
        try target.setOptions(NamespaceOptions(purgePolicy: .capacity(1000, enforcement: .onWrite)))
        #expect(try load(try dump(store.common["n"]), into: target).entries == 200)
        #expect(try target.count() < 1000 / 17)
        #expect(try target.contains("299"))
        try store.close()
    }
}
