// What archives need of a platform: compression, and models as bytes.

import CoreData
import Foundation

#if canImport(Darwin)
    enum ArchivePacking {
        /// Compresses bytes (raw DEFLATE, RFC 1951).
        static func deflated(_ bytes: [UInt8]) throws -> [UInt8] {
            [UInt8](try (Data(bytes) as NSData).compressed(using: .zlib) as Data)
        }

        /// Expands bytes to a length that is known.
        static func inflated(_ bytes: [UInt8], length: Int) throws -> [UInt8] {
            do {
                return [UInt8](try (Data(bytes) as NSData).decompressed(using: .zlib) as Data)
            } catch {
                throw GraftError(
                    .damagedArchive(found: "a block that can't be expanded", expected: "\(length) bytes"),
                    underlying: error)
            }
        }

        /// A model as a store's model cache has it.
        static func data(of model: NSManagedObjectModel) throws -> [UInt8] {
            try deflated(Array(NSKeyedArchiver.archivedData(withRootObject: model, requiringSecureCoding: true)))
        }

        /// The model of such bytes.
        ///
        /// - Parameter hashes: The version hashes of its entities; Core Data computes them all by itself.
        static func model(_ bytes: [UInt8], hashes: [String: Data]) throws -> NSManagedObjectModel {
            let archive = Data(try inflated(bytes, length: 0))
            guard let model = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSManagedObjectModel.self, from: archive)
            else { throw GraftError(.invalidModel(reason: "the archive's model can't be read")) }
            return model
        }
    }
#else
    enum ArchivePacking {
        /// Compresses bytes (raw DEFLATE, RFC 1951).
        static func deflated(_ bytes: [UInt8]) throws -> [UInt8] { Array(Deflate.deflated(Data(bytes), isFast: true)) }

        /// Expands bytes to a length that is known.
        static func inflated(_ bytes: [UInt8], length: Int) throws -> [UInt8] {
            do throws(Deflate.Damage) {
                return Array(try Deflate.inflated(Data(bytes), limit: length))
            } catch {
                throw GraftError(
                    .damagedArchive(found: "a block of which \(error.reason)", expected: "\(length) bytes"))
            }
        }

        /// A model as a store's model cache has it.
        static func data(of model: NSManagedObjectModel) throws -> [UInt8] { Array(try model.modelCacheData()) }

        /// The model of such bytes.
        ///
        /// - Parameter hashes: The version hashes of its entities. Those that can't be computed are taken from here.
        static func model(_ bytes: [UInt8], hashes: [String: Data]) throws -> NSManagedObjectModel {
            let model = try NSManagedObjectModel(modelCache: Data(bytes))
            model.adoptVersionHashes(fromStoreMetadata: [NSStoreModelVersionHashesKey: hashes])
            return model
        }
    }
#endif
