import Shale
import ShaleBase
import TestSupport
import Testing

@testable import ShaleMaintenance

/// Contract S-8: errors of a load name line and column, and quote nothing of the dump.
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
