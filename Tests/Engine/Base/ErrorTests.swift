import ShaleBase
import Testing

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

@Suite struct ErrorTextTests {
    @Test func aCodeIsItsName() {
        #expect("\(StorageError.Code.typeMismatch)" == "typeMismatch")
    }

    @Test func anErrorSaysCodePlaceAndCause() {
        let cause = StorageError(.ioFailure, "no")
        let error = StorageError(.corruption, "a block", file: "a.seg", offset: 7, cause: cause)
        #expect("\(error)" == "corruption: a block file=a.seg offset=7 (ioFailure: no)")
    }
}

@Suite struct IOFailureTests {
    /// A file that exceeds its size limit (`ulimit -f`) counts as a full disk, for hosts that ignore
    /// SIGXFSZ.
    @Test(arguments: [ENOSPC, EDQUOT, EFBIG]) func noRoomIsNoSpace(_ number: Int32) {
        let failure = IOFailure("write", "f", number)
        #expect(failure.isOutOfSpace)
        #expect(failure.storageError.code == .noSpace)
    }

    @Test(arguments: [EMFILE, ENFILE]) func noDescriptorIsAFailureOfItsOwn(_ number: Int32) {
        let failure = IOFailure("open", "f", number)
        #expect(failure.isOutOfDescriptors && !failure.isOutOfSpace)
        #expect(failure.storageError.code == .ioFailure)
    }

    @Test func failuresOfTheMachineAreNotThoseOfSpace() {
        #expect(IOFailure("read", "f", EIO).storageError.code == .ioFailure)
        #expect(IOFailure("open", "f", EACCES).storageError.code == .locked)
        #expect(IOFailure("open", "f", ENOENT).storageError.code == .missing)
    }
}
