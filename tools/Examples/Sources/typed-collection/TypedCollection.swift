// Create, query, insert, modify and delete by example, as in NetCacheSynchronizeKit, without SQL: what the document of
// that kit shows, with ShaleCollections.
import ExampleSupport
import ShaleCollections

/// The model of the original's document.
struct NCTestModel: Codable, Sendable, Equatable {
    var memberId: String?, memberPic: String?, age: String?, address: String?, memberName: String?, gender: String?

    static let schema = RecordSchema<NCTestModel>(fields: [
        RecordField("memberId", \.memberId, .unique),
        RecordField("memberPic", \.memberPic),
        RecordField("age", \.age),
        RecordField("address", \.address),
        RecordField("memberName", \.memberName, .unique),
        RecordField("gender", \.gender, .uniqueAndNotNull),
    ])
}

@main
struct TypedCollectionExample {
    static func main() throws {
        try withTemporaryDirectory { directory in
            let store = try Store(at: directory + "/store")
            let members = try store.common.collection(NCTestModel.schema)
            print("创建成功")
            try asTheDocumentDoes(members)
            try whatIsRefused(members)
            try store.close()
        }
    }

    /// Query, delete, insert, modify: in that order.
    static func asTheDocumentDoes(_ members: RecordCollection<NCTestModel>) throws {
        let testModel = NCTestModel(
            memberId: "1001", memberPic: "http://example.com/a.png", age: "17", address: "杭州", memberName: "小黄",
            gender: "男")
        let test = NCTestModel(memberId: testModel.memberId)

        let none = try members.query(like: test).records()
        print("查询结果\(none.count)")
        expect(none.isEmpty, "nothing is there yet")

        print("删除结果\(try members.query(like: test).delete())")

        try members.insert(testModel)
        print("插入结果\(try members.query(like: test).count())")
        expect(try members.query(like: test).records() == [testModel], "an inserted record is found by its memberId")

        var new = test
        new.memberName = "黄小仙"
        new.memberPic = "http://www.huangxionging.com/huang.png"
        new.age = "18"
        print("修改结果\(try members.query(like: test).modify(to: new))")
        let changed = try members.query(like: test).first()
        expect(changed?.memberName == "黄小仙" && changed?.age == "18", "the given values are new")
        expect(changed?.address == "杭州" && changed?.gender == "男", "the rest is as it was")
        print("查询结果\(changed?.memberName ?? "") \(changed?.age ?? "")")

        // Setting a field to nil is not leaving it alone.
        try members.query(like: test).modify { $0.memberPic = nil }
        expect(try members.query(like: test).first()?.memberPic == nil, "the picture is gone")
    }

    static func whatIsRefused(_ members: RecordCollection<NCTestModel>) throws {
        func refusal(_ body: () throws -> Void) throws -> ConstraintViolation? {
            do {
                try body()
                return nil
            } catch let error as StorageError where error.code == .constraintViolated {
                return error.constraintViolation
            }
        }
        let twin = NCTestModel(memberId: "1001", gender: "女")
        let isTaken = try refusal { try members.insert(twin) }
        expect(isTaken?.kind == .notUnique && isTaken?.field == "memberId", "a member has its id alone")
        let other = NCTestModel(memberId: "1002")
        let isNull = try refusal { try members.insert(other) }
        expect(isNull?.kind == .isNull && isNull?.field == "gender", "gender must be there")
        expect(try members.query(like: NCTestModel()).count() == 1, "a refusal leaves nothing behind; no example: all")
        // Broken SQL in the original: an example without values would change everything.
        for change in [
            { try members.query(like: NCTestModel()).delete() },
            { try members.query(like: NCTestModel()).modify(to: other) },
        ] {
            do {
                _ = try change()
                expect(false, "an empty example is refused")
            } catch let error as StorageError {
                expect(error.code == .invalidArgument, "an empty example is refused")
            }
        }
        // The released name is free again.
        try members.insert(NCTestModel(memberId: "1003", memberName: "小黄", gender: "女"))
        expect(try members.query(like: NCTestModel(memberId: "1001")).delete() == 1, "one goes")
        try members.insert(NCTestModel(memberId: "1001", gender: "男"))
        print("refused what must be, \(try members.query(like: NCTestModel()).count()) records left")
    }
}
