// Models in files, as in KeyedarchiverDemo: one archive for one model, another for an array of them.
import ExampleSupport
import Foundation
import ShaleFoundation

final class MessageObject: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    var name: String?
    var time: String?
    var pictures: [String]?

    override init() {}

    required init?(coder: NSCoder) {
        name = coder.decodeObject(of: NSString.self, forKey: "name") as String?
        time = coder.decodeObject(of: NSString.self, forKey: "time") as String?
        pictures = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "pictures") as? [String]
    }

    func encode(with coder: NSCoder) {
        coder.encode(name.map { $0 as NSString }, forKey: "name")
        coder.encode(time.map { $0 as NSString }, forKey: "time")
        coder.encode(pictures.map { NSArray(array: $0) }, forKey: "pictures")
    }

    override var description: String {
        "name = \(name ?? "(null)"),time = \(time ?? "(null)"),pictures = \(picturesName)"
    }

    private var picturesName: String { (pictures ?? []).map { $0 + "||" }.joined() }
}

/// The counterpart of the original's `FileManager`.
struct MessageFiles {
    private let single: ArchiveFile
    private let several: ArchiveFile

    init(_ documents: String) throws {
        let folder = documents + "/Achiver"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        single = ArchiveFile(folder + "/messageObject.achiver")
        several = ArchiveFile(folder + "/messageObjects.achiver")
    }

    func store(_ message: MessageObject) throws { try single.write(message) }
    func store(_ messages: [MessageObject]) throws { try several.write(messages) }
    func readMessage() throws -> MessageObject? { try single.read(MessageObject.self) }
    func readMessages() throws -> [MessageObject]? { try several.readAll(MessageObject.self) }
}

@main
struct ModelArchive {
    static func main() throws {
        try withTemporaryDirectory { directory in
            try asTheDocumentDoes(directory)
            try whatTheOriginalDoesNot(directory)
        }
    }

    static func message(_ pictures: [String]) -> MessageObject {
        let message = MessageObject()
        message.name = "Yue"
        message.time = "2016-03-23"
        message.pictures = pictures
        return message
    }

    static func asTheDocumentDoes(_ documents: String) throws {
        let files = try MessageFiles(documents)
        expect(try files.readMessage() == nil && files.readMessages() == nil, "no file is nil")
        let message1 = message(["1111111", "2222222", "3333333"])
        let message2 = message(["AAAAAA", "BBBBBB", "CCCCCC"])

        try files.store(message1)
        try files.store([message1, message2])

        var lines = ["我是单个数据:", "messObject = \(try files.readMessage()?.description ?? "(null)")", "\n\n多个数据:"]
        for message in try files.readMessages() ?? [] { lines.append("message = \(message)") }
        for line in lines { print(line) }
        expect(
            lines == [
                "我是单个数据:",
                "messObject = name = Yue,time = 2016-03-23,pictures = 1111111||2222222||3333333||",
                "\n\n多个数据:",
                "message = name = Yue,time = 2016-03-23,pictures = 1111111||2222222||3333333||",
                "message = name = Yue,time = 2016-03-23,pictures = AAAAAA||BBBBBB||CCCCCC||",
            ], "the output is the document's")
        let names = try FileManager.default.contentsOfDirectory(atPath: documents + "/Achiver").sorted()
        expect(names == ["messageObject.achiver", "messageObjects.achiver"], "both files are there: \(names)")
    }

    static func whatTheOriginalDoesNot(_ documents: String) throws {
        let files = try MessageFiles(documents)
        // Properties without a value, and shared objects.
        let empty = MessageObject()
        try files.store([empty, empty])
        let read = try files.readMessages() ?? []
        expect(read.count == 2 && read[0] === read[1] && read[0].name == nil, "nil stays nil, one object stays one")

        // Damage is an error: never a crash, and never "no messages".
        let path = documents + "/Achiver/messageObjects.achiver"
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(fileURLWithPath: path))
        do throws(StorageError) {
            _ = try ArchiveFile(path).readAll(MessageObject.self)
            expect(false, "a damaged file was read")
        } catch {
            expect(error.code == .corruption, "it is known to be damaged: \(error)")
            print("a damaged file: \(error.code.rawValue)")
        }

        // Into a store, and out again.
        let store = try Store(at: documents + "/store")
        let messages = store.common["messages"]
        let report = try messages.importKeyedArchive(at: documents + "/Achiver/messageObject.achiver", forKey: "first")
        expect(report.importedCount == 1, "one archive was imported")
        expect(try messages.archived(MessageObject.self, forKey: "first")?.name == "Yue", "as the object that it was")
        let copy = ArchiveFile(documents + "/copy.archive")
        expect(try messages.exportArchive(forKey: "first", to: copy), "and it goes back to a file")
        expect(try copy.read(MessageObject.self)?.pictures?.count == 3, "with all that it has")
        try store.close()
    }
}
