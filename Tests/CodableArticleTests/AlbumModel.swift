// The model of the albums, and a store in memory.

import CoreData

enum AlbumModel {
    static func makeContainer() throws -> NSPersistentContainer {
        let album = entity("Album", Album.self)
        let song = entity("Song", Song.self)
        let cover = entity("Cover", Cover.self)
        let (songs, album1) = relationship("songs", to: song, "album", to: album, isToMany: true)
        let (image, album2) = relationship("cover", to: cover, "album", to: album, isToMany: false)
        album.properties = [
            attribute("title", .stringAttributeType, isOptional: false), attribute("released", .dateAttributeType),
            songs, image,
        ]
        song.properties = [attribute("title", .stringAttributeType, isOptional: false), album1]
        cover.properties = [attribute("image", .binaryDataAttributeType, isOptional: false), album2]
        let model = NSManagedObjectModel()
        model.entities = [album, song, cover]

        let container = NSPersistentContainer(name: "Albums", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        var failure: (any Error)?
        container.loadPersistentStores { _, error in failure = error }
        if let failure { throw failure }
        return container
    }

    private static func entity(_ name: String, _ type: NSManagedObject.Type) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.managedObjectClassName = NSStringFromClass(type)
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, isOptional: Bool = true
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = isOptional
        return attribute
    }

    /// A relationship, ordered where it is to many, and its inverse.
    private static func relationship(
        _ name: String, to destination: NSEntityDescription, _ inverseName: String, to source: NSEntityDescription,
        isToMany: Bool
    ) -> (NSRelationshipDescription, NSRelationshipDescription) {
        let relationship = NSRelationshipDescription()
        relationship.name = name
        relationship.destinationEntity = destination
        relationship.maxCount = isToMany ? 0 : 1
        relationship.isOrdered = isToMany
        relationship.deleteRule = .cascadeDeleteRule
        relationship.isOptional = true
        let inverse = NSRelationshipDescription()
        inverse.name = inverseName
        inverse.destinationEntity = source
        inverse.maxCount = 1
        inverse.deleteRule = .nullifyDeleteRule
        inverse.isOptional = true
        relationship.inverseRelationship = inverse
        inverse.inverseRelationship = relationship
        return (relationship, inverse)
    }
}
