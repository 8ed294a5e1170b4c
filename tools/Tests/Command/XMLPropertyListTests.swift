import Shale
import Testing

@testable import ShaleCommand

/// The check before the decoder finds the depth of every XML property list.
@Suite struct XMLPropertyListTests {
    private static let deep = String(repeating: "<array>", count: 100)

    private func problem(_ text: String) -> StorageError? {
        do throws(StorageError) {
            try PropertyListReader.check(Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "<plist>\(deep)", "<plist><!-- </array></array> -->\(deep)", "<plist><![CDATA[</array></array>]]>\(deep)",
        "<plist>" + String(repeating: "</array>", count: 100) + deep,
        "<plist><array a=\"/>\">", "<plist><array a='/>'>", "<plist><array a=b/>",
        "<!DOCTYPE plist [<!ENTITY a \"b\">]><plist/>",
        "<?xml version=\"1.0\" encoding=\"UTF-7\"?><plist/>", "<?xml encoding='utf-16'?><plist/>", "<plist",
        "<plist><!--",
        "<plist><![CDATA[", "<plist><array>", "<plist></plist></plist>", "<?xml",
    ])
    func deepOrMalformedListsAreRefused(_ text: String) { #expect(problem(text) != nil) }

    @Test func allTypesOfPropertyListsAreAccepted() {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><!-- < --><dict><key>a = b</key>\
            <string><![CDATA[<x>]]>&lt;</string><key/><true/></dict></plist>
            """
        #expect(problem(text) == nil)
    }

    /// A check with a search for each tag takes a quarter of an hour.
    @Test(.timeLimit(.minutes(5))) func unclosedTagsTakeNoTime() {
        #expect(problem("<plist>" + String(repeating: "<a", count: 300_000) + "/>") != nil)
    }
}
