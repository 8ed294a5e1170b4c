#if Encryption
    import TestSupport
    import Testing

    @testable import ShaleBoxes

    /// Reading restricted values requires the secret of their generation, besides everything else.
    @Suite struct InstallationSealTests {
        @Test func onlyItsGenerationOpensIt() throws {
            let (secret, other) = (try SecretKey(), try SecretKey())
            let (id, address) = ([UInt8](repeating: 1, count: 16), SecretAddress(["a"], "b"))
            let seal = try GenerationSeal(id: id, secret: secret)
            let sealed = try seal.sealed([1, 2, 3], at: address)
            #expect(try seal.opened(sealed, at: address) == [1, 2, 3])
            let strangers = [
                try GenerationSeal(id: id, secret: other),
                try GenerationSeal(id: [UInt8](repeating: 2, count: 16), secret: secret),
            ]
            for stranger in strangers {
                let found = code { () throws(StorageError) in try stranger.opened(sealed, at: address) }
                #expect(found == .authenticationFailed)
            }
            for place in [SecretAddress(["a"], "c"), SecretAddress(["a", "b"], ""), SecretAddress([], "a")] {
                let found = code { () throws(StorageError) in try seal.opened(sealed, at: place) }
                #expect(found == .authenticationFailed)
            }
            #expect(try seal.sealed([1, 2, 3], at: address) != sealed)
        }
    }
#endif
