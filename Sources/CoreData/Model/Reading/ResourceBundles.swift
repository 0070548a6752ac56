// Where a program's models are. Apple's tools put them into the program's bundle; the package manager gives each target a
// folder of resources beside the program, named `Package_Target.resources`.

import Foundation

enum ResourceBundles {
    /// The main bundle, and after it the resource folders beside the program, in the order of their names.
    static var all: [Bundle] {
        let folder = Bundle.main.bundleURL
        let contents: [URL]
        do {
            contents = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        } catch {
            // A program whose folder can't be listed has no resources beside it.
            return [Bundle.main]
        }
        let folders = contents.filter { ["resources", "bundle"].contains($0.pathExtension) }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
        return [Bundle.main] + folders.compactMap { Bundle(url: $0) }
    }

    /// A model by its name, in whichever form it is there.
    ///
    /// - Throws: The first one's ``ModelError`` where all that are there are broken.
    static func model(named name: String, in bundles: [Bundle] = all) throws -> NSManagedObjectModel? {
        var failure: (any Error)?
        for bundle in bundles {
            for kind in ["momd", "mom", "xcdatamodeld", "xcdatamodel"] {
                guard let url = bundle.url(forResource: name, withExtension: kind) else { continue }
                do {
                    return try NSManagedObjectModel(readingContentsOf: url)
                } catch {
                    failure = failure ?? error
                }
            }
        }
        if let failure { throw failure }
        return nil
    }
}
