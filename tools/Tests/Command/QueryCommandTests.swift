import ArgumentParser
import Foundation
import Shale
import ShaleCollections
import Testing

@testable import ShaleCommand

@Suite struct QueryCommandTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        try PeopleStore.make(sandbox)
        return sandbox
    }

    @Test func recordsAreListedInEveryFormat() throws {
        let sandbox = try sandbox()
        let query = ["query", sandbox.store, "people", "--where", "age = 3", "--order", "id desc", "--limit", "2"]
        let human = try sandbox.run(query + ["--quiet"])
        #expect(human.status == 0 && human.errors.isEmpty)
        #expect(
            human.output == """
                23\t{"age":3,"id":23,"name":"n3","since":"2026-01-01T00:00:00.000Z"}
                13\t{"age":3,"id":13,"name":"n1","since":"2026-01-01T00:00:00.000Z"}

                """)
        let csv = try sandbox.run(query + ["--format", "csv", "--quiet"]).output
        #expect(
            csv == """
                id,name,email,age,since
                23,n3,,3,2026-01-01T00:00:00.000Z
                13,n1,,3,2026-01-01T00:00:00.000Z

                """)
        let lines = try sandbox.run(query + ["--format", "ndjson", "--quiet"]).output.split(separator: "\n")
        #expect(
            lines.first == """
                {"command":"query","key":23,"record":{"age":3,"id":23,"name":"n3","since":"2026-01-01T00:00:00.000Z"},\
                "schema":1}
                """)
        let json = try sandbox.run(query + ["--json"]).json()
        #expect(json["namespace"] as? String == "collections/people" && json["count"] as? Int == 2)
        #expect((json["records"] as? [[String: Any]])?.map { $0["key"] as? Int } == [23, 13])
        #expect(json["after"] is String)
    }

    @Test func pagesContinueBehindTheLastRecord() throws {
        let sandbox = try sandbox()
        var ids: [String] = []
        var after: [String] = []
        for _ in 0..<4 {
            let page = try sandbox.run(
                ["query", sandbox.store, "people", "--order", "age, name desc", "--limit", "10"] + after)
            #expect(page.status == 0)
            ids += page.output.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) }
            guard let option = page.errors.firstRange(of: "--after=") else { break }
            after = [String(page.errors[option.lowerBound...].dropLast())]
        }
        let all = try sandbox.shale("query", sandbox.store, "people", "--order", "age, name desc").output
        #expect(ids == all.split(separator: "\n").compactMap { $0.split(separator: "\t").first.map(String.init) })
        #expect(ids.count == 30)
    }

    @Test func aListThatIsCompleteNamesNoContinuation() throws {
        let sandbox = try sandbox()
        #expect(try sandbox.shale("query", sandbox.store, "people", "--limit", "30").errors.isEmpty)
        let json = try sandbox.shale("query", sandbox.store, "people", "--limit", "30", "--json").json()
        #expect(json["after"] == nil)
        #expect(try sandbox.shale("query", sandbox.store, "people", "--limit", "29").errors.contains("--after="))
    }

    @Test func recordsAreCounted() throws {
        let sandbox = try sandbox()
        let count = ["query", sandbox.store, "people", "--where", "email is null", "--count"]
        #expect(try sandbox.run(count).output == "15\n")
        #expect(
            try sandbox.run(count + ["--format", "csv"]).output == "namespace,user,count\ncollections/people,,15\n")
        #expect(try sandbox.shale("query", sandbox.store, "people", "--count", "--limit", "7").output == "7\n")
    }

    @Test func anExplanationNamesTheIndexAndTheCost() throws {
        let sandbox = try sandbox()
        let explain = ["query", sandbox.store, "people", "--where", "age between 2 and 3", "--explain"]
        let human = try sandbox.run(explain).output
        #expect(
            human == """
                source: index byAge
                read: 6 records, 6 index entries
                found: 6 records
                sorted in memory: no index delivers the order

                """)
        let json = try sandbox.run(explain + ["--order", "id", "--json"]).json()
        #expect(json["indexes"] as? [String] == ["byAge"] && json["sorted"] as? Bool == true)
        let csv = try sandbox.run(explain + ["--format", "csv"]).output
        #expect(
            csv == """
                namespace,user,source,indexes,entriesRead,recordsRead,staleEntries,matches,sorted
                collections/people,,index,"[""byAge""]",6,6,0,6,true

                """)
        let all = try sandbox.shale("query", sandbox.store, "people", "--where", "name = 'n1'", "--explain")
        #expect(all.output.hasPrefix("source: allRecords\n"))
    }

    @Test func aCollectionIsNamedByItsNamespaceOrItsName() throws {
        let sandbox = try sandbox()
        #expect(try sandbox.shale("query", sandbox.store, "collections/people", "--count").output == "30\n")
        let notes = try sandbox.shale("query", sandbox.store, "notes", "--user", "u1", "--format", "csv").output
        #expect(notes.hasPrefix("key,text\n") && notes.hasSuffix(",first\n"))
        for wrong in [["nobody"], ["plain"], ["notes"], ["people", "--user", "u1"]] {
            let missing = try sandbox.run(["query", sandbox.store] + wrong)
            #expect(missing.status == 1 && missing.errors == "shale: there is no collection \(wrong[0])\n")
        }
    }

    @Test func mistakesAreWrongUsageAndNameTheirPlace() throws {
        let sandbox = try sandbox()
        let wrong = try sandbox.shale("query", sandbox.store, "people", "--where", "age >= 1 and ege > 3")
        #expect(wrong.status == 64)
        let message = "there is no field of this name field=ege character=14"
        #expect(wrong.errors == "shale: invalidArgument: \(message) (at character 14)\n")
        let arguments = [
            ["--where", ""], ["--where", "age = 'x'"], ["--where", "age ="], ["--order", "height"], ["--limit", "-1"],
            ["--after", "%"], ["--after", "AQAB"], ["--count", "--explain"],
        ]
        for options in arguments {
            #expect(try sandbox.run(["query", sandbox.store, "people"] + options).status == 64, "\(options)")
        }
        let json = try sandbox.shale("query", sandbox.store, "people", "--where", "age", "--json").errors
        #expect(json.contains(#""code":"invalidArgument""#) && json.contains(#""exitCode":64"#))
    }

    @Test func aStoreThatIsMissingOrInUseBehavesAsForOtherReaders() throws {
        let sandbox = try sandbox()
        #expect(try sandbox.shale("query", sandbox.store + "x", "people").status == 5)
        let store = try Store(at: sandbox.store)
        #expect(try sandbox.shale("query", sandbox.store, "people", "--count").output == "30\n")
        try store.close()
    }

    @Test func recordsThatCanNotBeReadAreCounted() throws {
        let sandbox = try sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["collections"].child("people").set("damaged", forKey: RecordKey(3).bytes)
        try store.close()
        let done = try sandbox.shale("query", sandbox.store, "people")
        #expect(done.status == 1)
        #expect(done.output.split(separator: "\n").count == 29)
        #expect(done.errors.hasPrefix("shale: 1 record can't be read, the first because of typeMismatch: "))
    }

    @Test func encryptedRecordsAreReadOnlyIfTheyAreToBeRevealed() throws {
        let sandbox = try sandbox()
        let key = "\(sandbox.path)/key"
        #expect(try sandbox.shale("keys", "make", key).status == 0)
        let bytes = try sandbox.shale(
            "options", sandbox.store, "secrets", "--encrypted", "--key-file", key, "--create")
        #expect(bytes.status == 0, "\(bytes.errors)")
        var options = Store.Options()
        options.encryption = try KeyOptions.parse(["--key-file", key]).encryption(asks: false)
        let store = try Store(at: sandbox.store, options: options)
        try RecordCollection(PeopleStore.Note.schema, in: store.common["secrets"])
            .insert(PeopleStore.Note(text: "hidden"))
        try store.close()
        let masked = try sandbox.shale("query", sandbox.store, "secrets", "--key-file", key)
        #expect(masked.status == 4 && masked.output.isEmpty)
        let revealed = try sandbox.shale("query", sandbox.store, "secrets", "--key-file", key, "--reveal")
        #expect(revealed.status == 0 && revealed.output.hasSuffix("\t{\"text\":\"hidden\"}\n"))
    }
}
