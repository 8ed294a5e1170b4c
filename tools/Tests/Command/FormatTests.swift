import Testing

@testable import ShaleCommand

/// The formats of the answers of reading commands. A change here changes the schema: ShaleInspection.docc,
/// "Using the command".
@Suite struct FormatTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        let file = try sandbox.write("{\"k\":\"a,b\",\"n\":1}\n{\"k\":\"c\",\"n\":[2,\"\\\"\"]}\n", to: "x.ndjson")
        #expect(try sandbox.shale("import", sandbox.store, "n", file, "--key", "k").status == 0)
        return sandbox
    }

    @Test func anEntryIsShownInEachForm() throws {
        let sandbox = try sandbox()
        let get = { (format: String) in try sandbox.shale("get", sandbox.store, "n", "c", "--format", format).output }
        #expect(try get("human") == #"{"k":"c","n":[2,"\""]}"# + "\n")
        let members =
            #""bytes":22,"encrypted":false,"key":"c","purgeable":false,"type":"json","value":{"k":"c","n":[2,"\""]}"#
        #expect(
            try get("json")
                == #"{"command":"get","entry":{\#(members)},"namespace":"n","schema":1}"# + "\n")
        let line = #"{"bytes":22,"command":"get","encrypted":false,"key":"c","purgeable":false,"schema":1,"#
        #expect(try get("ndjson") == line + #""type":"json","value":{"k":"c","n":[2,"\""]}}"# + "\n")
        #expect(
            try get("csv") == "key,keyBase64,type,value,bytes,purgeable,encrypted,expiresAt,writtenAt\n"
                + #"c,,json,"{""k"":""c"",""n"":[2,""\""""]}",22,false,false,,"# + "\n")
    }

    @Test func aScanIsShownInEachForm() throws {
        let sandbox = try sandbox()
        let scan = { (format: String) in
            try sandbox.shale("scan", sandbox.store, "n", "--keys-only", "--format", format).output
        }
        #expect(try scan("human") == "a,b\nc\n")
        #expect(
            try scan("json") == """
                {"command":"scan","namespace":"n","schema":1,"entries":[
                {"key":"a,b"},
                {"key":"c"}
                ],"count":2}

                """)
        #expect(
            try scan("ndjson") == """
                {"command":"scan","key":"a,b","schema":1}
                {"command":"scan","key":"c","schema":1}

                """)
        #expect(
            try scan("csv") == """
                key,keyBase64,type,value,bytes,purgeable,encrypted,expiresAt,writtenAt
                "a,b",,,,,,,,
                c,,,,,,,,

                """)
    }

    @Test func nothingFoundIsAnEmptyListInEachForm() throws {
        let sandbox = try sandbox()
        let scan = { (format: String) in
            try sandbox.shale("scan", sandbox.store, "n", "--prefix", "z", "--format", format).output
        }
        #expect(try scan("human") == "")
        #expect(try scan("json").hasSuffix("\"entries\":[\n],\"count\":0}\n"))
        #expect(try scan("ndjson") == "")
        #expect(try scan("csv") == "key,keyBase64,type,value,bytes,purgeable,encrypted,expiresAt,writtenAt\n")
    }

    @Test func rowsOfStatisticsAreThoseAskedFor() throws {
        let sandbox = try sandbox()
        let stats = { (rows: String) in
            try sandbox.shale("stats", sandbox.store, "--format", "csv", "--rows", rows).output.split(separator: "\n")
        }
        #expect(
            try stats("namespaces").first
                == "name,user,id,entries,deletes,purgeable,expirable,rawBytes,purgeableRawBytes,storedBytes")
        #expect(try stats("namespaces")[1].hasPrefix("n,,1,2,0,0,0,"))
        #expect(try stats("levels").first == "level,segments,entries,deletes,rawBytes,storedBytes")
    }

    @Test func errorsHaveTheFormOfAnswersInJSONAndAreTextOtherwise() throws {
        let sandbox = try sandbox()
        for format in ["json", "ndjson"] {
            let failed = try sandbox.shale("get", sandbox.store, "n", "x", "--format", format)
            #expect(failed.status == 1)
            #expect(failed.output == "")
            #expect(
                failed.errors
                    == #"{"command":"error","error":{"code":"notFound","exitCode":1,"#
                    + #""message":"there is no such key in n"},"#
                    + "\"schema\":1}\n")
        }
        for format in ["human", "csv"] {
            let failed = try sandbox.shale("get", sandbox.store, "n", "x", "--format", format)
            #expect(failed.status == 1)
            #expect(failed.errors == "shale: there is no such key in n\n")
        }
    }

    @Test func formsThatContradictEachOtherAreWrongUsage() throws {
        let sandbox = try sandbox()
        #expect(try sandbox.shale("stats", sandbox.store, "--json", "--format", "csv").status == 64)
        #expect(try sandbox.shale("stats", sandbox.store, "--format", "xml").status == 64)
        #expect(try sandbox.shale("stats", sandbox.store, "--json", "--format", "json").status == 0)
    }

    @Test func colourIsForTerminalsOrOnDemand() throws {
        let sandbox = try sandbox()
        #expect(!(try sandbox.shale("stats", sandbox.store).output.contains("\u{1b}")))
        #expect(try sandbox.shale("stats", sandbox.store, "--color", "always").output.contains("\u{1b}[1mNAMESPACE"))
        #expect(!(try sandbox.shale("stats", sandbox.store, "--color", "always", "--json").output.contains("\u{1b}")))
    }
}
