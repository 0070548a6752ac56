// The results of a controller at one moment: objects in order, in sections of those that have a name in common.

import Foundation

/// Sections of objects.
struct FetchedSections {
    /// A section as clients see it, and compare it within Foundation's collections.
    final class Section: NSObject, NSFetchedResultsSectionInfo {
        let name: String
        let indexTitle: String?
        fileprivate(set) var members: [AnyObject] = []

        init(name: String, indexTitle: String?) {
            self.name = name
            self.indexTitle = indexTitle
            super.init()
        }

        /// The section when all its objects have left it.
        var emptied: Section { Section(name: name, indexTitle: indexTitle) }

        var numberOfObjects: Int { members.count }
        var objects: [Any]? { members }
    }

    /// Where objects are. A class, so that copies share what has been looked up.
    private final class Positions {
        var byObject: [ObjectIdentifier: IndexPath]?
    }

    let objects: [AnyObject]
    let sections: [Section]
    private let positions = Positions()

    /// One section of all objects.
    init(objects: [AnyObject]) {
        let section = Section(name: "", indexTitle: nil)
        section.members = objects
        self.objects = objects
        sections = [section]
    }

    /// Sections by the objects' names. Objects whose section isn't the last one so far join it nevertheless; `stray` is told
    /// of them.
    init(
        objects: [AnyObject], name: (AnyObject) -> String, indexTitle: (String) -> String?,
        stray: (Int, String) throws -> Void = { _, _ in }
    ) rethrows {
        var sections: [Section] = []
        var indexByName: [String: Int] = [:]
        var isOrdered = true
        for (position, object) in objects.enumerated() {
            let name = name(object)
            if let index = indexByName[name] {
                if index != sections.count - 1 {
                    try stray(position, name)
                    isOrdered = false
                }
                sections[index].members.append(object)
            } else {
                indexByName[name] = sections.count
                let section = Section(name: name, indexTitle: indexTitle(name))
                section.members = [object]
                sections.append(section)
            }
        }
        self.sections = sections
        self.objects = isOrdered ? objects : sections.flatMap(\.members)
    }

    /// Where each object is, section by section.
    var indexPaths: [ObjectIdentifier: IndexPath] {
        if let known = positions.byObject { return known }
        var byObject = [ObjectIdentifier: IndexPath](minimumCapacity: objects.count)
        for (section, info) in sections.enumerated() {
            for (item, object) in info.members.enumerated() {
                byObject[ObjectIdentifier(object)] = IndexPath(item: item, section: section)
            }
        }
        positions.byObject = byObject
        return byObject
    }
}
