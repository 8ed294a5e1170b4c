import Foundation
import Shale
import Testing

@testable import ShaleCommand

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite struct OverviewCommandTests {
    private func sandbox() throws -> Sandbox {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        for number in 0..<200 {
            try store.common["small"].set(number, forKey: "key \(number)")
            try store.user("u<1>")["a & b"].set(
                String(repeating: "x", count: 10 * number), forKey: "k\(number)", options: .purgeable)
        }
        try store.engine.flush()
        try store.close()
        return sandbox
    }

    @Test func bigListsTheLargestFirst() throws {
        let sandbox = try sandbox()
        let big = try sandbox.shale("big", sandbox.store, "--limit", "3", "--format", "csv").output
        #expect(
            big == """
                namespace,user,key,keyBase64,keyBytes,valueBytes,purgeable
                a & b,u<1>,k199,,4,1992,true
                a & b,u<1>,k198,,4,1982,true
                a & b,u<1>,k197,,4,1972,true

                """)
        let keys = try sandbox.shale("big", sandbox.store, "--by", "key", "--limit", "1", "--json").json()
        #expect((keys["entries"] as? [[String: Any]])?.first?["keyBytes"] as? Int == 7)
        #expect(keys["scanned"] as? Int == 400)
        #expect(try sandbox.shale("big", sandbox.store, "none").status == 1)
        #expect(try sandbox.shale("big", sandbox.store, "--limit", "0").status == 64)
    }

    @Test func watchSeesWhatAnotherProcessWrites() throws {
        let sandbox = try sandbox()
        let store = try Store(at: sandbox.store)
        try store.common["small"].set(1, forKey: "new")
        let looks = try sandbox.shale("watch", sandbox.store, "--count", "2", "--interval", "0.1", "--format", "ndjson")
        #expect(looks.status == 0)
        let lines = looks.output.split(separator: "\n")
        #expect(lines.count == 2)
        #expect(lines.allSatisfy { $0.contains(#""command":"watch""#) && $0.contains(#""lastSequence":401"#) })
        #expect(lines[1].contains(#""mutationsPerSecond":0"#))
        #expect(try sandbox.shale("watch", sandbox.store, "--count", "1").output.contains("sequence 401"))
        #expect(try sandbox.shale("watch", sandbox.store, "--json").status == 64)
        #expect(try sandbox.shale("watch", sandbox.store, "--interval", "0").status == 64)
        try store.close()
    }

    @Test(.timeLimit(.minutes(5))) func statsAndWatchShowTheOwnersCache() throws {
        let sandbox = try sandbox()
        let closed = try sandbox.shale("stats", sandbox.store)
        #expect(closed.output.hasSuffix("\ncache: no running store publishes its statistics\n"))
        let nobody = try sandbox.shale("stats", sandbox.store, "--json").output
        #expect(nobody.contains(#""cache":null"#) && nobody.contains(#""owner":null"#))
        #expect(
            try sandbox.shale("watch", sandbox.store, "--count", "1").output.contains(
                "cache: no running store publishes its statistics"))
        let rows = ["stats", sandbox.store, "--format", "csv", "--rows", "cache"]
        #expect(try sandbox.run(rows).output == "capacityBytes,bytes,hits,misses,hitRate\n")

        var options = Store.Options()
        options.engine.statisticsInterval = .milliseconds(100)
        let store = try Store(at: sandbox.store, options: options)
        for _ in 0..<4 { _ = try store.common["small"].value(forKey: "key 7", as: Int.self) }
        var text = ""
        for _ in 0..<600 where !text.contains(" 75.0 % of 4 lookups hit") {
            text = try sandbox.shale("stats", sandbox.store).output
        }
        #expect(text.contains("open in process \(ProcessInfo.processInfo.processIdentifier) since "))
        let json = try sandbox.shale("stats", sandbox.store, "--json").json()
        let cache = try #require(json["cache"] as? [String: Any])
        #expect(cache["hits"] as? Int == 3 && cache["misses"] as? Int == 1 && cache["hitRate"] as? Double == 0.75)
        #expect(cache["capacityBytes"] as? Int ?? 0 > cache["bytes"] as? Int ?? .max)
        #expect((json["owner"] as? [String: Any])?["memoryBudget"] as? Int == 256 << 20)
        #expect(try sandbox.run(rows).output.split(separator: "\n").last?.hasSuffix(",3,1,0.75") == true)
        let look = try sandbox.shale("watch", sandbox.store, "--count", "1", "--format", "ndjson").json()
        #expect(look["cacheHitRate"] as? Double == 0.75)
        #expect(look["processID"] as? Int == Int(ProcessInfo.processInfo.processIdentifier))
        try store.close()
        #expect(
            try sandbox.shale("stats", sandbox.store).output.hasSuffix(
                "\ncache: no running store publishes its statistics\n"))
    }

    @Test(.timeLimit(.minutes(5))) func anInterruptedWatchEndsWell() throws {
        let sandbox = try sandbox()
        let process = Process()
        process.executableURL = Sandbox.command
        process.arguments = ["watch", sandbox.store, "--format", "ndjson", "--interval", "60"]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The first answer is there, so the handler of the signal is installed.
        #expect(!output.fileHandleForReading.availableData.isEmpty)
        process.interrupt()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
    }

    @Test func aReportIsOneWellFormedPageThatLoadsNothing() throws {
        let sandbox = try sandbox()
        let file = "\(sandbox.path)/report.html"
        #expect(try sandbox.shale("report", sandbox.store, "-o", file).status == 0)
        let page = try String(contentsOfFile: file, encoding: .utf8)
        #expect(try sandbox.shale("report", sandbox.store, "-o", "-").output.hasPrefix("<!DOCTYPE html>"))
        let parser = XMLParser(data: Data(page.utf8))
        #expect(parser.parse(), "\(String(describing: parser.parserError))")
        for part in ["u&lt;1&gt;:a &amp; b", "L0", "Sizes of values", "1.0 kB … 2.0 kB", "prefers-color-scheme: dark"] {
            #expect(page.contains(part), "\(part)")
        }
        #expect(!page.contains("<script") && !page.contains("src="))
        let links = page.components(separatedBy: "http").dropFirst()
        #expect(links.allSatisfy { $0.hasPrefix("-equiv") || $0.hasPrefix("://www.w3.org/") }, "only names of formats")
    }
}
