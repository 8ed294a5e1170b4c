import Shale
import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// A load takes nothing that a store can't hold or that reads would refuse, and says at which line.
/// Contract S-6 and X-4: what was loaded is what `verify` calls sound.
@Suite struct LoadedContentTests {
    private static let head = #"{"shaleDump":1,"nextNamespace":70002}"#

    private func load(_ lines: [String]) -> StorageError? {
        do throws(StorageError) {
            try EditedDump(lines: lines).load()
            return nil
        } catch {
            return error
        }
    }

    /// A dump whose third line is `line`, in a namespace of the common space.
    private func load(entry line: String, options: String = "") -> StorageError? {
        load([Self.head, #"{"namespace":1,"path":["n"]\#(options)}"#, line, #"{"end":1}"#])
    }

    @Test(arguments: [
        // No header, codec 0, unknown flags, an extension that is cut short, a field of it that nobody knows.
        #""raw64":"""#, #""raw64":"AA==""#, #""raw64":"AAA=""#, #""raw64":"AgQ=""#, #""raw64":"AgIJ""#,
        #""raw64":"AgIDAAkBAA==""#,
        // Encrypted: cut short; of a data key that its namespace does not have.
        #""raw64":"AAEC""#,
        #""raw64":"AAECAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#,
        // Payloads that are not what their codecs say.
        #""c":2,"v64":"/w==""#, #""c":3,"v64":"Ag==""#, #""c":4,"v64":"AA==""#, #""c":5,"v64":"AAAA""#,
        #""c":6,"v64":"""#, #""c":7,"v64":"AAAA""#, #""c":8,"v64":"AAAAAAAA+H8=""#, #""c":9,"v64":"AAAA""#,
        #""c":16,"v":"{""#, #""c":17,"v64":"AAAA""#, #""c":18,"v64":"AAAA""#, #""c":99,"v64":"AAAA""#,
    ])
    func aValueThatReadsWouldRefuseIsRefused(value: String) throws {
        let error = try #require(load(entry: #"{"k":"k",\#(value)}"#))
        #expect(error.code == .invalidArgument)
        #expect(error.message.hasPrefix("line 3 of the dump"), "\(error)")
    }

    @Test(arguments: [
        #""c":1,"v64":"/w==""#, #""c":2,"v":"ü""#, #""c":3,"v64":"AQ==""#, #""c":4,"i":-1"#, #""c":16,"v":"[1]""#,
        #""c":200,"v64":"/w==""#,
    ])
    func aValueThatReadsTakeIsTaken(value: String) {
        #expect(load(entry: #"{"k":"k",\#(value)}"#) == nil)
    }

    /// What the store itself never wrote belongs to a user of the raw engine, and is as it is.
    @Test func rawNamespacesHoldAnything() {
        let error = load([
            Self.head, #"{"namespace":1,"name64":"/w==","options64":"AAA="}"#, #"{"k":"k","raw64":""}"#, #"{"end":1}"#,
        ])
        #expect(error == nil)
    }

    @Test(arguments: [
        // Cut short; an unknown tag; a time to live below zero; a data key without a sealed key.
        "AAA=", "EAABAAAAAQ==", "AgAIAAAA////////////fw==", "AgAIAAAAAAAAAAAAAIA=", "BQAFAAAAAQAAAAE=",
    ])
    func optionsThatAreNoneAreRefused(options: String) throws {
        let error = try #require(
            load(entry: #"{"k":"k","c":2,"v":"x"}"#, options: #","options64":"\#(options)""#))
        #expect(error.code == .invalidArgument)
        #expect(error.message.hasPrefix("line 2 of the dump"), "\(error)")
    }

    @Test func theStoresOwnRecordsAreChecked() throws {
        for name in ["AwQAa2V5cw==", "AwcAaW5zdGFsbA=="] {
            let error = try #require(
                load([Self.head, #"{"namespace":1,"name64":"\#(name)","options64":"AAAA"}"#, #"{"end":0}"#]))
            #expect(error.message.hasPrefix("line 2 of the dump"), "\(error)")
        }
    }

    @Test func asManyNamespacesAsAStoreHas() throws {
        func lines(_ count: Int) -> [String] {
            [Self.head] + (1...count).map { #"{"namespace":\#($0),"path":["\#($0)"]}"# } + [#"{"end":0}"#]
        }
        #expect(load(lines(FormatLimits.liveNamespaces)) == nil)
        let error = try #require(load(lines(FormatLimits.liveNamespaces + 1)))
        #expect(error.code == .invalidArgument)
        #expect(error.message.hasPrefix("line \(FormatLimits.liveNamespaces + 2) of the dump"), "\(error)")
    }

    /// A namespace's id that the next one would get again.
    @Test func idsAreBelowTheNext() throws {
        let error = load([#"{"shaleDump":1,"nextNamespace":1}"#, #"{"namespace":1,"path":["n"]}"#, #"{"end":0}"#])
        #expect(error?.message.hasPrefix("line 2 of the dump") == true, "\(String(describing: error))")
    }

    @Test func aFailedLoadLeavesNothing() throws {
        let dump = EditedDump(lines: [Self.head, #"{"namespace":1,"path":["n"]}"#, "{", #"{"end":1}"#])
        let files = dump.files
        #expect(code { () throws(StorageError) in try dump.load(into: "/made") } == .invalidArgument)
        #expect(throws: IOFailure.self) { try files.openDirectory("/made", create: false) }
        // A directory that was there stays, and its LOCK, which nobody removes from a directory that others may open.
        _ = try files.openDirectory("/there", create: true)
        #expect(code { () throws(StorageError) in try dump.load(into: "/there") } == .invalidArgument)
        #expect(try files.openDirectory("/there", create: false).list() == ["LOCK"])
        // Neither is in the next one's way.
        let sound = [Self.head, #"{"namespace":1,"path":["n"]}"#, #"{"end":0}"#]
        var next = dump
        next.replaceLines(sound)
        #expect(try next.load(into: "/made") == 0)
        #expect(try next.load(into: "/there") == 0)
    }
}
