// What `graft inspect` tells about a store: its file and its model, with the number of objects per entity.

import Foundation

/// A store in words.
struct StoreReport: Encodable {
    var file: String
    /// The bytes of the store and of its log; nil for one on a server.
    var size: Int?
    var uuid: String
    var type: String
    /// The version of Core Data that the store was last written by or for, as its metadata has it.
    var frameworkVersion: Int?
    /// How many large values have lost their files; nil on a server, and where a table can't be read.
    var missingFiles: Int?
    /// What can't be read, a line each.
    var damages: [String]
    var model: ModelReport
}

/// A model in a file, for the JSON form.
struct ModelFileReport: Encodable {
    var file: String
    var model: ModelReport
}
