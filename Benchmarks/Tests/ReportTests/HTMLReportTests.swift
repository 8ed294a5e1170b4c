import Foundation
import Pages
import Testing

@testable import ShaleBench

#if canImport(FoundationXML)
    import FoundationXML
#endif

struct HTMLReportTests {
    /// Collects what a strict parser sees. It fails at the first tag that isn't closed or text that isn't escaped.
    private final class Reader: NSObject, XMLParserDelegate {
        var text = ""
        var elements: [String: Int] = [:]
        var links: [String] = []
        var identifiers: [String] = []

        func parser(
            _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
            qualifiedName qName: String?, attributes attributeDict: [String: String] = [:]
        ) {
            elements[elementName, default: 0] += 1
            links += [attributeDict["href"], attributeDict["src"]].compactMap { $0 }
            identifiers += [attributeDict["id"]].compactMap { $0 }
        }

        func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
    }

    private func read(_ file: ResultFile) throws -> Reader {
        let parser = XMLParser(data: Data(ReportOutput(file).html.utf8))
        let reader = Reader()
        parser.delegate = reader
        let isWellFormed = parser.parse()
        #expect(isWellFormed, "line \(parser.lineNumber): \(String(describing: parser.parserError))")
        return reader
    }

    @Test func isWellFormedAndHasEveryRow() throws {
        let file = Sample.everything
        let reader = try read(file)
        for row in file.rows { #expect(reader.text.contains(CSVReport.line(row))) }
        for setting in Figures(file).comparisons.map(\.setting) {
            #expect(reader.text.contains(setting.workload))
            #expect(reader.text.contains(setting.details))
        }
    }

    @Test func aSingleRowIsEnough() throws {
        let reader = try read(Sample.file([Sample.row("shale", "fillseq", perSecond: 5)]))
        #expect(reader.elements["section"] ?? 0 > 5)
    }

    @Test func textOfTheFileIsNeverMarkup() throws {
        let evil = "</style><script>alert('1')</script>&\"\u{1}"
        var file = Sample.everything
        file.machine.cpu = evil
        file.machine.settings["leveldb"] = evil
        file.rows.append(
            Sample.row(evil, evil, perSecond: 5) {
                $0.variant = evil
                $0.after = evil
                $0.note = evil
            })
        file.rooflines.append(ResultRoofline(name: evil, perSecond: 1))
        let reader = try read(file)
        #expect(reader.elements["script"] == nil)
        #expect(reader.text.contains("<script>alert('1')</script>&\""))
    }

    @Test func needsNothingFromElsewhere() throws {
        let reader = try read(Sample.everything)
        #expect(reader.links.allSatisfy { $0.hasPrefix("#") })
        #expect(Set(reader.links.map { String($0.dropFirst()) }).isSubset(of: reader.identifiers))
        #expect(Set(reader.identifiers).count == reader.identifiers.count)
    }

    @Test func everyChartHasATextAlternative() throws {
        let reader = try read(Sample.everything)
        #expect(reader.elements["desc"] ?? 0 > 10)
        let html = ReportOutput(Sample.everything).html
        #expect(html.ranges(of: "role=\"img\"").count == reader.elements["desc"])
    }

    /// Characters that the page escapes are not unescaped inside a style element.
    @Test func styleSheetHasNothingToEscape() {
        for part in StyleSheet.all { #expect(!part.contains { "&<>\"'".contains($0) }) }
    }

    @Test func rowsThatShaleLosesAreMarked() throws {
        let reader = try read(Sample.everything)
        #expect(reader.text.contains("▲ LMDB"))
        #expect(reader.text.contains("behind LMDB"))
    }
}
