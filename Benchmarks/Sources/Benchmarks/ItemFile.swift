// The data of the mapping benchmarks, made without chance: items that refer to one other item each, and nodes in a graph in
// which everything leads to everything.

import CoreData
import Foundation

/// A JSON array of items.
struct ItemFile {
    var count: Int
    /// Whether every fifth item refers to one that comes later, and not before.
    var refersAhead = false
    /// Whether two attributes identify an item, and a reference names both.
    var isComposite = false

    func write(to folder: URL) throws -> URL {
        var text: [UInt8] = []
        text.reserveCapacity(count * 160)
        text.append(UInt8(ascii: "["))
        for index in 0..<count {
            if index > 0 { text.append(contentsOf: ",\n".utf8) }
            let isAhead = refersAhead && index % 5 == 0 && index + 1 < count
            let other = isAhead ? index + 1 + (count - index - 1) / 2 : index / 2
            text.append(
                contentsOf: """
                    {"id":\(index),"part":"part \(index % 100)","name":"Item number \(index)","price":\(index % 1000).5,\
                    "text":"What is said of item \(index) is not much, but it is said.","other":\(reference(other))}
                    """.utf8)
        }
        text.append(contentsOf: "]\n".utf8)
        let url = folder.appending(path: "items-\(refersAhead)-\(isComposite).json")
        try Data(text).write(to: url)
        return url
    }

    /// With one attribute the plain form has an object, too, so that both texts are equally long but for the part.
    private func reference(_ index: Int) -> String {
        isComposite ? #"{"id":\#(index),"part":"part \#(index % 100)"}"# : #"{"id":\#(index)}"#
    }

    static func model(isComposite: Bool) -> NSManagedObjectModel {
        let item = NSEntityDescription()
        item.name = "Item"
        item.userInfo = ["identityAttributes": isComposite ? "id, part" : "id"]
        let (other, others) = HeroModel.relationship(
            from: item, "other", isToMany: false, json: "other", to: item, "others")
        item.properties = [
            HeroModel.attribute("id", .integer64AttributeType, json: "id"),
            HeroModel.attribute("part", .stringAttributeType, json: "part"),
            HeroModel.attribute("name", .stringAttributeType, json: "name"),
            HeroModel.attribute("price", .doubleAttributeType, json: "price"),
            HeroModel.attribute("text", .stringAttributeType, json: "text"),
            other, others,
        ]
        let model = NSManagedObjectModel()
        model.entities = [item]
        return model
    }
}

/// A JSON array of nodes, each with two links to others, which know who links to them.
struct NodeFile {
    var count: Int

    func write(to folder: URL) throws -> URL {
        var text = "["
        for index in 0..<count {
            let links = [(index + 1) % count, (index * 7 + 3) % count]
            text += "\(index > 0 ? ",\n" : ""){\"id\":\(index),\"name\":\"Node \(index)\",\"links\":\(links)}"
        }
        let url = folder.appending(path: "nodes-\(count).json")
        try Data((text + "]\n").utf8).write(to: url)
        return url
    }

    static func model() -> NSManagedObjectModel {
        let node = NSEntityDescription()
        node.name = "Node"
        node.userInfo = ["identityAttributes": "id"]
        let (links, back) = HeroModel.relationship(
            from: node, "links", isToMany: true, json: "links", to: node, "back")
        back.userInfo = ["JSONKeyPath": "back"]
        node.properties = [
            HeroModel.attribute("id", .integer64AttributeType, json: "id"),
            HeroModel.attribute("name", .stringAttributeType, json: "name"), links, back,
        ]
        let model = NSManagedObjectModel()
        model.entities = [node]
        return model
    }
}
