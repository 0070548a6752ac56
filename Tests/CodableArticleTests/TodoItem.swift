// The classes of the article on Codable managed objects, in the form in which it is usually written, but for the accessors,
// which the model editor generates on Apple's platforms. Nothing here knows of Graft.

import CoreData
import Foundation

enum DecoderConfigurationError: Error {
    case missingManagedObjectContext
}

extension CodingUserInfoKey {
    static let managedObjectContext = CodingUserInfoKey(rawValue: "managedObjectContext")!
}

class TodoItem: NSManagedObject, Codable {
    enum CodingKeys: CodingKey {
        case id, label, completions
    }

    required convenience init(from decoder: Decoder) throws {
        guard let context = decoder.userInfo[CodingUserInfoKey.managedObjectContext] as? NSManagedObjectContext else {
            throw DecoderConfigurationError.missingManagedObjectContext
        }

        self.init(context: context)

        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.id = try container.decode(Int64.self, forKey: .id)
        self.label = try container.decode(String.self, forKey: .label)
        self.completions = try container.decode(Set<TodoCompletion>.self, forKey: .completions) as NSSet
    }

    func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(id, forKey: .id)
        try container.encode(label, forKey: .label)
        try container.encode(completions as! Set<TodoCompletion>, forKey: .completions)
    }
}

class TodoCompletion: NSManagedObject, Codable {
    enum CodingKeys: CodingKey {
        case completionDate
    }

    required convenience init(from decoder: Decoder) throws {
        guard let context = decoder.userInfo[CodingUserInfoKey.managedObjectContext] as? NSManagedObjectContext else {
            throw DecoderConfigurationError.missingManagedObjectContext
        }

        self.init(context: context)

        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.completionDate = try container.decode(Date.self, forKey: .completionDate)
    }

    func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(completionDate, forKey: .completionDate)
    }
}

// MARK: - Accessors

extension TodoItem {
    var id: Int64 {
        get { value(forKey: "id") as! Int64 }
        set { setValue(newValue, forKey: "id") }
    }

    var label: String? {
        get { value(forKey: "label") as! String? }
        set { setValue(newValue, forKey: "label") }
    }

    var completions: NSSet? {
        get { value(forKey: "completions") as! NSSet? }
        set { setValue(newValue, forKey: "completions") }
    }
}

extension TodoCompletion {
    var completionDate: Date? {
        get { value(forKey: "completionDate") as! Date? }
        set { setValue(newValue, forKey: "completionDate") }
    }
}
