import Foundation
import Testing

@testable import ShaleCommand

/// Imports of CSV: RFC 4180 to the letter, and no row lost without a word.
@Suite struct CSVImportTests {
    private func rows(_ text: String, delimiter: Character = ",", pieceBytes: Int = 256) throws -> [[String]] {
        let stream = ByteStream(Array(text.utf8), named: "input", pieceBytes: pieceBytes)
        var reader = CSVRowReader(stream, delimiter: try #require(delimiter.asciiValue))
        var rows: [[String]] = []
        while try reader.next() { rows.append(reader.fields.map { String(decoding: $0, as: UTF8.self) }) }
        return rows
    }

    @Test func rowsAreThoseOfRFC4180() throws {
        let cases: [(String, [[String]])] = [
            ("", []), ("\n\r\n\n", []), ("a", [["a"]]), ("a,b\r\nc,d\r\n", [["a", "b"], ["c", "d"]]),
            ("a,b\nc,d", [["a", "b"], ["c", "d"]]), (",\n", [["", ""]]), ("\"\"\n", [[""]]), ("a,\n", [["a", ""]]),
            ("\"a,\"\"b\"\"\r\nc\",d\n", [["a,\"b\"\r\nc", "d"]]), (" a , b\n", [[" a ", " b"]]),
            ("\u{feff}a,b\n", [["a", "b"]]), ("a\n\n\nb\n", [["a"], ["b"]]), ("ä,\"ö\"", [["ä", "ö"]]),
        ]
        for (text, expected) in cases {
            for size in [1, 2, 3, 256] {
                #expect(try rows(text, pieceBytes: size) == expected, "\(text.debugDescription)")
            }
        }
        #expect(try rows("a\tb,c\n", delimiter: "\t") == [["a", "b,c"]])
    }

    @Test(arguments: [
        ("x\n\"a\" b\n", "row 2 at line 2 has text between"), ("a\"b\n", "row 1 at line 1 has a quote inside"),
        ("\"x\ny\",1\n\n\"a\nb", "row 2 at line 4 has a quote that is not closed"),
        ("a\rb\n", "a carriage return"), ("a\r", "a carriage return"),
    ])
    func aQuoteInAWrongPlaceEndsTheReadingWithItsRow(_ text: String, _ message: String) throws {
        let failure = try #require(throws: ToolFailure.self) { try rows(text) }
        #expect(failure.status == .badInput && failure.message.contains(message), "\(failure.message)")
    }

    @Test func aRowIsAnObjectOfItsColumnsInTheirOrder() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write(
            "id,name,age,tags\r\n7,\"O\"\"Brien, \nP.\",41,\"[1,\"\"a\"\"]\"\r\n8,,,\r\n", to: "people.csv")
        let types = ["--column-type", "age=int", "--column-type", "tags=json"]
        let done = try sandbox.run(["import", sandbox.store, "people", file, "--key", "id"] + types)
        #expect(done.status == 0, "\(done.errors)")
        #expect(
            try sandbox.shale("get", sandbox.store, "people", "7", "--raw").output
                == #"{"id":"7","name":"O\"Brien, \nP.","age":41,"tags":[1,"a"]}"#)
        #expect(
            try sandbox.shale("get", sandbox.store, "people", "8", "--raw").output
                == #"{"id":"8","name":"","age":null,"tags":null}"#)
    }

    @Test func aColumnCanBeTheValueAndTheKeyCanHaveSeveral() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write("a\tb\tprice\td\nx\ty\t0.5\t2026-01-02T03:04:05Z\n", to: "p.tsv")
        let line = ["import", sandbox.store, "p", file, "--key", "a", "--key", "b"]
        #expect(try sandbox.run(line + ["--value", "price", "--column-type", "price=double"]).status == 0)
        let entry = try sandbox.shale("get", sandbox.store, "p", "x/y", "--json").json()["entry"] as? [String: Any]
        #expect(entry?["type"] as? String == "double" && entry?["value"] as? Double == 0.5)
        #expect(try sandbox.run(line + ["--value", "d", "--column-type", "d=date"]).status == 0)
        #expect(try sandbox.shale("get", sandbox.store, "p", "x/y").output == "2026-01-02T03:04:05.000Z\n")
        let numbered = try sandbox.write("k;1\nl;2\n", to: "n.csv")
        let unnamed = ["--no-names", "--delimiter", ";", "--key", "1", "--value", "2"]
        #expect(try sandbox.run(["import", sandbox.store, "n", numbered] + unnamed).status == 0)
        #expect(try sandbox.shale("scan", sandbox.store, "n").output == "k\t1\nl\t2\n")
    }

    private static let bad =
        "k,n\n1,1\n2,x\n,3\n4,4,4\n5\n6,6\n" + String(repeating: "7,x\n", count: 120)

    @Test func aBadRowEndsTheImportAndWhatIsStoredIsSaid() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write(Self.bad, to: "bad.csv")
        let line = ["import", sandbox.store, "n", file, "--key", "k", "--column-type", "n=int"]
        let all = try sandbox.run(line)
        #expect(all.status == 65 && all.errors.contains("row 3 at line 3 has a field that is no int in the column n"))
        #expect(!all.errors.contains("stored"), "the batch was not complete")
        #expect(
            try sandbox.shale("namespaces", sandbox.store, "--format", "csv").output.split(separator: "\n").count == 1)
        let some = try sandbox.run(line + ["--batch", "1"])
        #expect(some.status == 65 && some.errors.contains("; 1 records of the input before it are stored"))
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--keys-only").output == "1\n")
    }

    @Test func badRowsAreNamedAndLeftOutOnDemand() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write(Self.bad, to: "bad.csv")
        let line = ["import", sandbox.store, "n", file, "--key", "k", "--column-type", "n=int", "--skip-bad-rows"]
        let dry = try sandbox.run(line + ["--dry-run"])
        #expect(dry.status == 65 && dry.output == "2 records can be imported, 124 bad rows left out\n")
        #expect(!FileManager.default.fileExists(atPath: sandbox.store))
        let done = try sandbox.run(line + ["--json"])
        #expect(done.status == 65)
        for (row, what) in [(3, "no int"), (4, "an empty key"), (5, "3 fields instead of 2"), (6, "1 fields")] {
            #expect(done.errors.contains("bad.csv: row \(row) at line \(row) has") && done.errors.contains(what))
        }
        #expect(done.errors.contains("skipped: 24 more rows"))
        let json = try done.json()
        #expect(json["records"] as? Int == 2 && json["badRows"] as? Int == 124)
        #expect(try sandbox.shale("scan", sandbox.store, "n", "--keys-only").output == "1\n6\n")
    }

    @Test func columnsThatDoNotExistOrAreNamedTwiceAreRefused() throws {
        let sandbox = try Sandbox()
        let file = try sandbox.write("k,n\n1,1\n", to: "x.csv")
        let line = ["import", sandbox.store, "n", file]
        #expect(try sandbox.run(line).status == 64)
        for wrong in [["--key", "x"], ["--key", "k", "--value", "x"], ["--key", "k", "--column-type", "x=int"]] {
            let done = try sandbox.run(line + wrong)
            #expect(done.status == 65 && done.errors.contains("no column x"), "\(done.errors)")
        }
        for wrong in [
            ["--column-type", "n"], ["--column-type", "n=text"], ["--delimiter", "\""], ["--delimiter", "ab"],
        ] {
            #expect(try sandbox.run(line + ["--key", "k"] + wrong).status == 64, "\(wrong)")
        }
        let twice = try sandbox.write("k,k\n1,1\n", to: "y.csv")
        #expect(try sandbox.shale("import", sandbox.store, "n", twice, "--key", "k").status == 65)
        let json = try sandbox.write("{\"k\":1}\n", to: "z.ndjson")
        #expect(try sandbox.shale("import", sandbox.store, "n", json, "--key", "k", "--skip-bad-rows").status == 64)
    }

    @Test func aRowOverTheLimitIsRefused() throws {
        var text = Array("k,v\n1,".utf8)
        text.append(contentsOf: repeatElement(0x61, count: InputLimits.recordBytes))
        var reader = CSVRowReader(ByteStream(text, named: "input"), delimiter: 0x2c)
        #expect(try reader.next())
        let failure = #expect(throws: ToolFailure.self) { try reader.next() }
        #expect(failure?.message.contains("longer than") == true)
        let many = String(repeating: ",", count: InputLimits.members)
        #expect(throws: ToolFailure.self) { try rows(many) }
    }
}
