// Hand-written conformances with ordered and optional relationships, through a save.

import CoreData
import Foundation
import Testing

@Suite struct AlbumTests {
    private let json =
        #"[{"cover":{"image":"AQID"},"released":-1000000000,"#
        + #""songs":[{"title":"Side A"},{"title":"Interlude"},{"title":"Side A"}],"title":"Both sides"},"#
        + #"{"songs":[],"title":"Silence"}]"#

    private func decoder(_ context: NSManagedObjectContext) -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.userInfo[CodingUserInfoKey.managedObjectContext] = context
        return decoder
    }

    @Test func `ordered and optional relationships go in and out`() throws {
        let container = try AlbumModel.makeContainer()
        let context = container.viewContext
        let albums = try decoder(context).decode([Album].self, from: Data(json.utf8))
        try context.save()

        let songs = try #require(albums[0].songs?.array as? [Song])
        #expect(songs.map { $0.value(forKey: "title") as? String } == ["Side A", "Interlude", "Side A"])
        #expect(songs.allSatisfy { $0.value(forKey: "album") as? Album === albums[0] })
        #expect(albums[0].cover?.value(forKey: "album") as? Album === albums[0])
        #expect(albums[1].cover == nil && albums[1].released == nil && albums[1].songs?.count == 0)

        // From the store, by another context.
        let other = container.newBackgroundContext()
        let text = try other.performAndWait {
            let request = NSFetchRequest<Album>(entityName: "Album")
            request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return try String(decoding: encoder.encode(other.fetch(request)), as: UTF8.self)
        }
        #expect(text == json)
    }

    @Test func `a missing title is the coder's own error`() throws {
        let container = try AlbumModel.makeContainer()
        let wrong = Data(#"[{"title": "A", "songs": [{"title": "B"}, {}]}]"#.utf8)
        let error = #expect(throws: DecodingError.self) {
            _ = try decoder(container.viewContext).decode([Album].self, from: wrong)
        }
        guard case .keyNotFound(let key, let context) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.stringValue == "title")
        #expect(context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } == ["0", "songs", "1"])
    }
}
