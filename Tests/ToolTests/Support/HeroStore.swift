// A store with the example's heroes, the starting point of many tests.

import Foundation
import Testing

/// Makes a store with the four heroes of the example and returns its path.
func heroStore(in folder: TemporaryFolder, named name: String = "Heroes.sqlite") throws -> String {
    let store = folder.path(name)
    let heroes = Project.heroes.appending(path: "heroes.json").path
    let run = try graft("import", heroes, "--entity", "Hero", "--store", store, "--model", Project.heroesModel)
    try #require(run.status == 0, "\(run.diagnostics)")
    return store
}
