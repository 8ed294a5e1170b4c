import Shale
import ShaleBase
import ShalePlatform
import ShaleSimulation
import TestSupport
import Testing

@testable import ShaleMaintenance

/// A load refuses entries that a store can't hold or that reads would refuse. The error names the
/// line.
///
/// `verify` finds no problem in loaded content.
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

    /// Loads a dump whose third line is `line`, in a namespace of the common space.
    private func load(entry line: String, options: String = "") -> StorageError? {
        load([Self.head, #"{"namespace":1,"path":["n"]\#(options)}"#, line, #"{"end":1}"#])
    }

    @Test(arguments: [
        // No header, codec 0, unknown flags, a truncated extension, an extension with an unknown field.
        #""raw64":"""#, #""raw64":"AA==""#, #""raw64":"AAA=""#, #""raw64":"AgQ=""#, #""raw64":"AgIJ""#,
        #""raw64":"AgIDAAkBAA==""#,
        // Encrypted values: truncated; with a data key that the namespace does not have.
        #""raw64":"AAEC""#,
        #""raw64":"AAECAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA""#,
        // Payloads that contradict their codecs.
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

    /// Entries in a namespace that the store never writes belong to a user of the raw engine, and stay as they are.
    @Test func rawNamespacesHoldAnything() {
        let error = load([
            Self.head, #"{"namespace":1,"name64":"/w==","options64":"AAA="}"#, #"{"k":"k","raw64":""}"#, #"{"end":1}"#,
        ])
        #expect(error == nil)
    }

    @Test(arguments: [
        // Truncated; an unknown tag; a negative time to live; a data key without a sealed key.
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

    /// The id of a namespace must be below the id that the next new namespace will get.
    @Test func idsAreBelowTheNext() throws {
        let error = load([#"{"shaleDump":1,"nextNamespace":1}"#, #"{"namespace":1,"path":["n"]}"#, #"{"end":0}"#])
        #expect(error?.message.hasPrefix("line 2 of the dump") == true, "\(String(describing: error))")
    }

    @Test func aFailedLoadLeavesNothing() throws {
        let dump = EditedDump(lines: [Self.head, #"{"namespace":1,"path":["n"]}"#, "{", #"{"end":1}"#])
        let files = dump.files
        #expect(code { () throws(StorageError) in try dump.load(into: "/made") } == .invalidArgument)
        #expect(throws: IOFailure.self) { try files.openDirectory("/made", create: false) }
        // A directory that existed before stays, with its LOCK. No process removes the LOCK from a directory that
        // others may open.
        _ = try files.openDirectory("/there", create: true)
        #expect(code { () throws(StorageError) in try dump.load(into: "/there") } == .invalidArgument)
        #expect(try files.openDirectory("/there", create: false).list() == ["LOCK"])
        // Neither obstructs the next load.
        let sound = [Self.head, #"{"namespace":1,"path":["n"]}"#, #"{"end":0}"#]
        var next = dump
        next.replaceLines(sound)
        #expect(try next.load(into: "/made") == 0)
        #expect(try next.load(into: "/there") == 0)
    }
}

/// Errors of a load name line and column, and quote nothing of the dump.
@Suite struct LoadErrorTests {
    @Test(arguments: [
        #"{"k":"SECRET","c":2,"v":"SECRET","SECRET":1}"#, #"{"SECRET":1}"#, #"{"k":"SECRET","c":2,"v":"SECRET"#,
        #"{"k":"SECRET","c":2,"v":"SECRET\q"}"#, #"{"k":"SECRET","c":2,"v":"SECRET"}SECRET"#,
        #"{"k":"SECRET","c":4,"i":"SECRET"}"#, #"{"k":"SECRET","raw64":"SECRET"}"#, #"{"namespace":2,"SECRET":1}"#,
        #"{"namespace":2,"path":["SECRET"],"user":1}"#, #"{"namespace":2,"path":["n"]}"#,
        #"{"shaleDump":1,"SECRET":2}"#,
        "{\"\u{1b}[31mSECRET\":1}", "SECRET",
    ])
    func nothingOfTheDumpIsRepeated(line: String) throws {
        let dump = EditedDump(lines: [
            #"{"shaleDump":1,"nextNamespace":9}"#, #"{"namespace":1,"path":["n"]}"#, line, #"{"end":1}"#,
        ])
        let error = #expect(throws: StorageError.self) { try dump.load() }
        let text = String(describing: try #require(error))
        #expect(text.contains("line 3"), "\(text)")
        #expect(!text.contains("SECRET"), "\(text)")
        #expect(text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f }, "\(text)")
    }
}
