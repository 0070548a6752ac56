// Hand-written conformances with what the article leaves out: an ordered relationship, optional ones, an optional attribute.
// Nothing here knows of Graft.

import CoreData
import Foundation

class Album: NSManagedObject, Codable {
    enum CodingKeys: CodingKey {
        case title, released, songs, cover
    }

    required convenience init(from decoder: Decoder) throws {
        guard let context = decoder.userInfo[CodingUserInfoKey.managedObjectContext] as? NSManagedObjectContext else {
            throw DecoderConfigurationError.missingManagedObjectContext
        }

        self.init(context: context)

        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.title = try container.decode(String.self, forKey: .title)
        self.released = try container.decodeIfPresent(Date.self, forKey: .released)
        self.songs = NSOrderedSet(array: try container.decodeIfPresent([Song].self, forKey: .songs) ?? [])
        self.cover = try container.decodeIfPresent(Cover.self, forKey: .cover)
    }

    func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(title, forKey: .title)
        try container.encodeIfPresent(released, forKey: .released)
        try container.encode(songs?.array as? [Song] ?? [], forKey: .songs)
        try container.encodeIfPresent(cover, forKey: .cover)
    }
}

class Song: NSManagedObject, Codable {
    enum CodingKeys: CodingKey {
        case title
    }

    required convenience init(from decoder: Decoder) throws {
        guard let context = decoder.userInfo[CodingUserInfoKey.managedObjectContext] as? NSManagedObjectContext else {
            throw DecoderConfigurationError.missingManagedObjectContext
        }

        self.init(context: context)

        let container = try decoder.container(keyedBy: CodingKeys.self)
        setValue(try container.decode(String.self, forKey: .title), forKey: "title")
    }

    func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value(forKey: "title") as? String, forKey: .title)
    }
}

class Cover: NSManagedObject, Codable {
    enum CodingKeys: CodingKey {
        case image
    }

    required convenience init(from decoder: Decoder) throws {
        guard let context = decoder.userInfo[CodingUserInfoKey.managedObjectContext] as? NSManagedObjectContext else {
            throw DecoderConfigurationError.missingManagedObjectContext
        }

        self.init(context: context)

        let container = try decoder.container(keyedBy: CodingKeys.self)
        setValue(try container.decode(Data.self, forKey: .image), forKey: "image")
    }

    func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value(forKey: "image") as? Data, forKey: .image)
    }
}

// MARK: - Accessors

extension Album {
    var title: String? {
        get { value(forKey: "title") as! String? }
        set { setValue(newValue, forKey: "title") }
    }

    var released: Date? {
        get { value(forKey: "released") as! Date? }
        set { setValue(newValue, forKey: "released") }
    }

    var songs: NSOrderedSet? {
        get { value(forKey: "songs") as! NSOrderedSet? }
        set { setValue(newValue, forKey: "songs") }
    }

    var cover: Cover? {
        get { value(forKey: "cover") as! Cover? }
        set { setValue(newValue, forKey: "cover") }
    }
}
