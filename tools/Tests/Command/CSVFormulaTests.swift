import Formatting
import Shale
import Testing

@testable import ShaleCommand

/// No cell of a CSV file is a formula for a spreadsheet (ShaleInspection.docc, "The command").
@Suite struct CSVFormulaTests {
    @Test(arguments: [
        "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "+", "＝1", "－A1", "+nan",
        "-0x10", "-inf", "-1e", "--1",
    ])
    func cellsThatBeginLikeFormulasAreText(_ text: String) { #expect(CSV.inert(text) == "'" + text) }

    @Test(arguments: ["", "1", "-1", "+1", "-1.5", "-1.5e-9", "+2E10", "a=1", " =1", "'=1", "2026-01-01", "é", "{}"])
    func numbersAndOtherTextStayAsTheyAre(_ text: String) { #expect(CSV.inert(text) == text) }

    @Test func formulasAreTextInTheRowsOfEveryCommand() throws {
        let sandbox = try Sandbox()
        let store = try Store(at: sandbox.store)
        for name in ["=n", "-1"] {
            try store.user("@u")[name].set("=HYPERLINK(\"x\",\"y\")", forKey: "+k")
            try store.user("@u")[name].set(-1, forKey: "int")
            try store.user("@u")[name].set("-12.5", forKey: "text")
        }
        try store.close()
        let scan = try sandbox.shale("scan", sandbox.store, "=n", "--user", "@u", "--format", "csv").output
        #expect(scan.contains("\n'+k,,string,\"'=HYPERLINK(\"\"x\"\",\"\"y\"\")\","))
        #expect(scan.contains("\nint,,int,-1,"))
        #expect(scan.contains("\ntext,,string,-12.5,"))
        let names = try sandbox.shale("namespaces", sandbox.store, "--format", "csv").output
        #expect(names.contains("\n'=n,'@u,") && names.contains("\n-1,'@u,"))
        let scanned = try sandbox.shale("scan", sandbox.store, "=n", "--user", "@u", "--format", "ndjson").output
        #expect(scanned.contains(#""key":"+k""#), "JSON is exact")
    }
}
