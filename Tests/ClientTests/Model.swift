// The classes of an app, as they are written for Apple's platforms.

import CoreData

extension CodingUserInfoKey {
    static let managedObjectContext = CodingUserInfoKey(rawValue: "managedObjectContext")!
}

enum DecoderConfigurationError: Error {
    case missingManagedObjectContext
}

class TaskItem: NSManagedObject, Codable {
    enum CodingKeys: String, CodingKey {
        case id = "server_id"
        case title
        case isDone = "done"
        case priority
    }

    required convenience init(from decoder: Decoder) throws {
        guard let context = decoder.userInfo[.managedObjectContext] as? NSManagedObjectContext else {
            throw DecoderConfigurationError.missingManagedObjectContext
        }
        self.init(context: context)
        let container = try decoder.container(keyedBy: CodingKeys.self)
        serverID = try container.decode(Int.self, forKey: .id) as NSNumber
        title = try container.decode(String.self, forKey: .title)
        isDone = try container.decode(Bool.self, forKey: .isDone)
        priority = try container.decodeIfPresent(Int16.self, forKey: .priority) ?? 0
    }

    func encode(to encoder: Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(serverID?.intValue, forKey: .id)
        try container.encode(title, forKey: .title)
        try container.encode(isDone, forKey: .isDone)
        try container.encode(priority, forKey: .priority)
    }

    override func awakeFromInsert() {
        super.awakeFromInsert()
        setPrimitiveValue(UUID(), forKey: "id")
        setPrimitiveValue(Date(), forKey: "createdAt")
    }
}

extension TaskItem: Identifiable {}

extension TaskItem {
    class func fetchRequest() -> NSFetchRequest<TaskItem> {
        return NSFetchRequest<TaskItem>(entityName: "Task")
    }

    static var sortedFetchRequest: NSFetchRequest<TaskItem> {
        let request: NSFetchRequest<TaskItem> = TaskItem.fetchRequest()
        request.sortDescriptors = [NSSortDescriptor(keyPath: \TaskItem.title, ascending: true)]
        return request
    }

    func addToTags(_ value: Tag) { addModelled([value], forKey: "tags") }
    func removeFromTags(_ value: Tag) { removeModelled([value], forKey: "tags") }
}

class Project: NSManagedObject {
    class func fetchRequest() -> NSFetchRequest<Project> {
        return NSFetchRequest<Project>(entityName: "Project")
    }

    var openTasks: [TaskItem] { tasks.filter { !$0.isDone }.sorted { $0.title < $1.title } }
}

class Note: NSManagedObject {}

class Tag: NSManagedObject {}
