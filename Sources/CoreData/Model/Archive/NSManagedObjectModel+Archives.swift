// Models as keyed archives: what `.mom` files hold, and, compressed, the `Z_MODELCACHE` of stores.

import Foundation

extension NSManagedObjectModel {
    /// Reads a keyed archive, as a `.mom` file holds it.
    ///
    /// - Throws: ``ModelError`` for damaged data and for a model that doesn't pass ``validated()``.
    package convenience init(archive: Data) throws {
        self.init()
        try ModelUnarchiver.read(archive, into: self)
        try validated()
    }

    /// Reads the contents of a store's `Z_MODELCACHE`: a keyed archive compressed with raw DEFLATE.
    ///
    /// - Throws: ``ModelError`` for damaged data and for a model that doesn't pass ``validated()``.
    package convenience init(modelCache: Data) throws {
        let archive: Data
        do throws(Deflate.Damage) {
            archive = try Deflate.inflated(modelCache)
        } catch {
            throw ModelError(.badArchive(reason: error.reason))
        }
        try self.init(archive: archive)
    }

    /// The model as a keyed archive, in the layout of compiled models. The same model gives the same bytes.
    ///
    /// - Throws: ``ModelError`` where user info or a default value isn't plain data.
    package func archived() throws -> Data {
        try ModelArchiver.archive(of: self)
    }

    /// The model as a store's `Z_MODELCACHE` has it: what a migration needs of it. User info and default values that aren't plain data,
    /// such as an object as the default of a transformable attribute, aren't in it.
    ///
    /// - Throws: ``ModelError`` where the model can't be archived.
    package func modelCacheData() throws -> Data {
        Deflate.deflated(try ModelArchiver.archive(of: self, leavingOut: true))
    }
}
