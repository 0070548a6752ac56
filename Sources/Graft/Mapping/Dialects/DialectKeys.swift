// The keys of the user info that other libraries read.

enum SyncKey {
    static let remoteKey = ["sync.remoteKey", "hyper.remoteKey", "hyper.remote.key", "mapper.remote.key"]
    static let isPrimaryKey = ["sync.isPrimaryKey", "hyper.isPrimaryKey"]
    static let nonExportable = ["sync.nonExportable", "hyper.nonExportable"]
    static let valueTransformer = ["sync.valueTransformer", "hyper.valueTransformer"]
    static let primaryKey = ["sync.primary_key", "hyper.primary_key"]
    static let all = Set(remoteKey + isPrimaryKey + nonExportable + valueTransformer + primaryKey)
}

enum MagicalRecordKey {
    static let keyName = "mappedKeyName"
    static let dateFormat = "dateFormat"
    static let usesDefault = "useDefaultValueWhenNotPresent"
    static let relatedByAttribute = "relatedByAttribute"
    static let onProperties = [keyName, dateFormat, usesDefault, relatedByAttribute]
    /// The date format that stands for milliseconds since 1970.
    static let unixTime = "UnixTime"

    /// Whether a date format stands for milliseconds since 1970: MagicalRecord's own, or what people take for it, after the 13
    /// digits of such a number.
    static func isUnixTime(_ format: String?) -> Bool { format == unixTime || format?.lowercased() == "unixtime13" }
}

enum CoreDataKitKey {
    static let identity = "CDKId"
    static let map = "CDKMap"
    static let strategy = "CDKMapStrategy"
    static let noMapping = "CDKNoMapping"
    static let relationType = "CDKRelationType"
    static let embedding = "CDKEmbedding"
    static let onProperties = [map, strategy, relationType]
}

enum MMRecordKey {
    static let identity = "MMRecordEntityPrimaryAttributeKey"
    static let alternateName = "MMRecordAttributeAlternateNameKey"
}

enum RestKitKey {
    static let identity = "RKEntityIdentificationAttributes"
}
