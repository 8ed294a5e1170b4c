import ShaleBase
import Testing

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
