import TestSupport
import Testing

@testable import Shale

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite struct OptionTests {
    @Test func listsCombineAndTheLaterWins() {
        let both: ValueOptions = [.purgeable, .expires(after: .seconds(1))]
        #expect(both.isPurgeable == true && both.expiry == .after(milliseconds: 1000))
        let later: ValueOptions = [.purgeable, .expires(after: .seconds(1 * 86_400)), .notPurgeable, .neverExpires]
        #expect(later.isPurgeable == false && later.expiry == .never)
        #expect(([] as ValueOptions).isStandard)
    }

    @Test func timesAreRoundedUpAndNeverOverflow() {
        #expect(Duration.nanoseconds(1).wholeMilliseconds == 1)
        #expect(Duration.milliseconds(3).wholeMilliseconds == 3)
        #expect(Duration.nanoseconds(-1).wholeMilliseconds == 0)
        #expect(Duration.seconds(Int64.max).wholeMilliseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeMilliseconds == .min)
        #expect(Duration.seconds(2 * 86_400).wholeMilliseconds == 172_800_000)
        #expect(ValueOptions.expires(at: .distantPast).expiry == .at(milliseconds: -62_135_769_600_000))
        let far = Date(timeIntervalSince1970: .greatestFiniteMagnitude)
        #expect(ValueOptions.expires(at: far).expiry == .at(milliseconds: .max))
        #expect(ValueOptions.expires(at: Date(timeIntervalSince1970: .nan)).expiry == .at(milliseconds: .max))
    }

    @Test func namespaceOptionsSurviveTheirBytes() throws {
        let all = [
            NamespaceOptions.standard, NamespaceOptions(isPurgeable: true), NamespaceOptions(timeToLive: .seconds(3)),
            NamespaceOptions(isPurgeable: true, timeToLive: .milliseconds(1)),
            NamespaceOptions(isPurgeable: true, timeToLive: .milliseconds(1), isEncrypted: true),
        ]
        for options in all {
            let bytes = try CatalogueOptions(options, version: nil, now: 7).bytes
            #expect(try CatalogueOptions(bytes: bytes).options == options)
        }
        #expect(try NamespaceDefaults(NamespaceOptions(timeToLive: .seconds(Int64.max))).lifetimeMilliseconds > 1 << 60)
        #expect(
            code { () throws(StorageError) in try NamespaceDefaults(NamespaceOptions(timeToLive: .zero)) }
                == .invalidArgument)
    }

    @Test func unknownNamespaceOptionsAreANewerFormat() {
        func code(_ bytes: [UInt8]) -> StorageError.Code? {
            TestSupport.code { () throws(StorageError) in try CatalogueOptions(bytes: bytes) }
        }
        #expect(code([9, 0, 1, 0, 0, 0, 9]) == .newerFormat)
        // A truncated purge policy, and one with an unknown order.
        #expect(code([6, 0, 1, 0, 0, 0, 9]) == .corruption)
        let policy = [UInt8](repeating: 0, count: 24) + [2] + [UInt8](repeating: 0, count: 8)
        #expect(code([6, 0, 33, 0, 0, 0] + policy) == .newerFormat)
        #expect(code([3, 0x80, 1, 0, 0, 0, 9]) == nil)
        #expect(code([1, 0, 1, 0, 0]) == .corruption)
        #expect(code([1, 0, 255, 255, 255, 255, 1]) == .corruption)
        #expect(code([1, 0, 2, 0, 0, 0, 1, 1]) == .corruption)
        #expect(code([2, 0, 8, 0, 0, 0] + [UInt8](repeating: 0xff, count: 8)) == .corruption)
    }
}
