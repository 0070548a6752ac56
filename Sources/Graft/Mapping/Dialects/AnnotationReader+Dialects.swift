// What the annotations of a dialect say of a property: key paths, converter, direction.

import CoreData
import Foundation

extension AnnotationReader {
    /// What the annotations of the dialect say of a property.
    mutating func dialectProperty(
        _ description: NSPropertyDescription, of entity: NSEntityDescription, _ place: GraftError.Place
    ) -> MappingOptions.Property {
        switch dialect {
        case .graft: graftProperty(description)
        case .sync: syncProperty(description)
        case .magicalRecord: magicalRecordProperty(description, place)
        case .coreDataKit: coreDataKitProperty(description)
        case .mmRecord: mmRecordProperty(description)
        case .restKit: MappingOptions.Property()
        }
    }

    private func graftProperty(_ description: NSPropertyDescription) -> MappingOptions.Property {
        var said = MappingOptions.Property()
        let paths = Annotation.texts(Annotation.keyPath, of: description.userInfo)
        if !paths.isEmpty { said.keyPaths = paths }
        if description is NSAttributeDescription {
            said.transformerName = Annotation.text(Annotation.transformerName, of: description.userInfo)
        }
        return said
    }

    private func syncProperty(_ description: NSPropertyDescription) -> MappingOptions.Property {
        func text(_ keys: [String]) -> String? {
            keys.lazy.compactMap { Annotation.text($0, of: description.userInfo) }.first
        }
        var said = MappingOptions.Property()
        said.keyPaths = text(SyncKey.remoteKey).map { [$0] }
        // Its presence is enough, whatever it says.
        if SyncKey.nonExportable.contains(where: { description.userInfo?[$0] != nil }) { said.direction = .import }
        if description is NSAttributeDescription { said.transformerName = text(SyncKey.valueTransformer) }
        return said
    }

    private mutating func magicalRecordProperty(
        _ description: NSPropertyDescription, _ place: GraftError.Place
    ) -> MappingOptions.Property {
        var said = MappingOptions.Property()
        let userInfo = description.userInfo
        let key = Annotation.text(MagicalRecordKey.keyName, of: userInfo)
        guard description is NSAttributeDescription else {
            said.keyPaths = key.map { [$0] }
            return said
        }
        let others = Annotation.texts(MagicalRecordKey.keyName, of: userInfo).dropFirst(key == nil ? 0 : 1)
        if key != nil || !others.isEmpty { said.keyPaths = [key ?? description.name] + others }
        if MagicalRecordKey.isUnixTime(Annotation.text(MagicalRecordKey.dateFormat, of: userInfo)) {
            said.dateFormat = .unixMilliseconds
        } else {
            said.dateFormat = dateFormat(MagicalRecordKey.dateFormat, userInfo, place)
        }
        let usesDefault = Annotation.text(MagicalRecordKey.usesDefault, of: userInfo).map { ($0 as NSString).boolValue }
        if usesDefault == true { said.missingPolicy = .default }
        return said
    }

    private func coreDataKitProperty(_ description: NSPropertyDescription) -> MappingOptions.Property {
        var said = MappingOptions.Property()
        let userInfo = description.userInfo
        let paths = Annotation.texts(CoreDataKitKey.map, of: userInfo, from: 0)
        if !paths.isEmpty { said.keyPaths = paths }
        if Annotation.text(CoreDataKitKey.strategy, of: userInfo) == CoreDataKitKey.noMapping {
            said.direction = .neither
        }
        if Annotation.text(CoreDataKitKey.relationType, of: userInfo) == CoreDataKitKey.embedding {
            said.membersPolicy = .replaceAndDelete
        }
        return said
    }

    private func mmRecordProperty(_ description: NSPropertyDescription) -> MappingOptions.Property {
        var said = MappingOptions.Property()
        if let alternate = Annotation.text(MMRecordKey.alternateName, of: description.userInfo) {
            said.keyPaths = [alternate, description.name]
        }
        return said
    }
}
