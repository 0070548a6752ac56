// The properties, with the bodies that `graft generate` writes in place of @NSManaged.

import CoreData

extension TaskItem {
    var createdAt: Date? {
        get { modelledValue(forKey: "createdAt") }
        set { setModelledValue(newValue, forKey: "createdAt") }
    }
    var id: UUID? {
        get { modelledValue(forKey: "id") }
        set { setModelledValue(newValue, forKey: "id") }
    }
    var isDone: Bool {
        get { modelledValue(forKey: "isDone") }
        set { setModelledValue(newValue, forKey: "isDone") }
    }
    var priority: Int16 {
        get { modelledValue(forKey: "priority") }
        set { setModelledValue(newValue, forKey: "priority") }
    }
    var serverID: NSNumber? {
        get { modelledValue(forKey: "serverID") }
        set { setModelledValue(newValue, forKey: "serverID") }
    }
    var title: String {
        get { modelledValue(forKey: "title") }
        set { setModelledValue(newValue, forKey: "title") }
    }
    var project: Project? {
        get { modelledValue(forKey: "project") }
        set { setModelledValue(newValue, forKey: "project") }
    }
    var tags: NSSet? {
        get { modelledValue(forKey: "tags") }
        set { setModelledValue(newValue, forKey: "tags") }
    }
}

extension Project {
    var name: String {
        get { modelledValue(forKey: "name") }
        set { setModelledValue(newValue, forKey: "name") }
    }
    var tasks: Set<TaskItem> {
        get { modelledValue(forKey: "tasks") }
        set { setModelledValue(newValue, forKey: "tasks") }
    }
}

extension Note {
    var body: String? {
        get { modelledValue(forKey: "body") }
        set { setModelledValue(newValue, forKey: "body") }
    }
    var title: String? {
        get { modelledValue(forKey: "title") }
        set { setModelledValue(newValue, forKey: "title") }
    }
    var isPinned: Bool {
        get { modelledValue(forKey: "isPinned") }
        set { setModelledValue(newValue, forKey: "isPinned") }
    }
}

extension Tag {
    var name: String? {
        get { modelledValue(forKey: "name") }
        set { setModelledValue(newValue, forKey: "name") }
    }
    var tasks: NSSet? { modelledValue(forKey: "tasks") }
}
