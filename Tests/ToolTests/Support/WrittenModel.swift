// Models for tests of the tool, written where the test is.

import Foundation

extension TemporaryFolder {
    /// Writes a model of these entities (the XML within `<model>`), and returns its path.
    func model(_ entities: String, named name: String = "Model") throws -> String {
        let model = url.appending(path: "\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">\(entities)</model>
            """
        try Data(text.utf8).write(to: model.appending(path: "contents"))
        return model.path
    }
}
