// Commands that read a store in which the file of a large value can't be read: the value is named, and what isn't damaged is read all the
// same.

import Foundation
import TestSupport
import Testing

@Suite struct UnreadableValueFileTests {
    private let folder: TemporaryFolder
    private let store: KennelStore
    private let sound: String

    init() throws {
        folder = try TemporaryFolder()
        (store, sound) = try KennelStore.withTwin(in: folder)
    }

    /// Puts something else in the place of the photo of Ada, row 1, and returns its path.
    private func replacePhoto(_ replace: (_ path: String) throws -> Void) throws -> String {
        let photos = folder.url.appending(path: ".Kennel_SUPPORT/_EXTERNAL_DATA")
        let names = try FileManager.default.contentsOfDirectory(atPath: photos.path)
        let photo = photos.appending(path: try #require(names.first)).path
        try FileManager.default.removeItem(atPath: photo)
        try replace(photo)
        return photo
    }

    @Test(arguments: ["a folder", "a link to itself"])
    func `a large value that can't be read is named with its object, which is left out`(_ damage: String) throws {
        let photo = try replacePhoto { path in
            if damage == "a folder" {
                try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            } else {
                try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
            }
        }
        let cause = damage == "a folder" ? "it isn't a file" : "Too many levels of symbolic links"
        let commands = [
            ["archive", store.path], ["export", "--store", store.path],
            ["export", "--store", store.path, "--entity", "Owner"],
        ]
        for arguments in commands + [
            ["copy", store.path, folder.path("Copy.sqlite")], ["diff", sound, store.path],
            ["import", store.path, "--store", folder.path("New.sqlite")],
        ] {
            try graft(arguments).failed(saying: store.path, "Owner.photo", "row 1", photo, cause, "graft check")
        }
        try graft("merge", sound, store.path, sound, "--output", folder.path("Merged.sqlite"))
            .failed(code: 2, saying: store.path, "Owner.photo", "row 1", photo, cause)
        for arguments in commands {
            let left = try graft(arguments + ["--keep-going"])
            #expect(left.status == 1 && left.text.contains("Ben") && !left.text.contains("Ada"), "\(left.text)")
            #expect(left.diagnostics.contains("left out: ") && left.diagnostics.contains(photo), "\(left.diagnostics)")
        }
        let check = try graft("check", store.path)
        #expect(check.status == 1 && check.text.contains("Owner.photo of row 1") && check.text.contains(cause))
    }

    /// The model without external storage.
    private func plainModel() throws -> String {
        let text = KennelStore.model.replacing(" allowsExternalBinaryDataStorage=\"YES\"", with: "")
        let model = folder.url.appending(path: "Plain.xcdatamodel")
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: model.appending(path: "contents"))
        return model.path
    }

    @Test func `a migration that takes a large value into its row names the one that can't be read`() throws {
        let photo = try replacePhoto {
            try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false)
        }
        let run = try graft("migrate", store.path, "--model", plainModel())
        run.failed(saying: store.path, "Owner.photo of row 1", photo, "it isn't a file", "from a copy", "graft check")
        #expect(!run.diagnostics.contains("INSERT") && !run.diagnostics.contains("free space"), "\(run.diagnostics)")
    }

    @Test func `a large value whose file is gone is counted by inspect, and named by a migration that does without it`()
        throws
    {
        #expect(try !graft("inspect", store.path).succeeded().text.contains("Large values"))
        let photo = try replacePhoto { _ in }
        #expect(try graft("inspect", store.path).succeeded().text.contains("Large values without their files: 1"))
        let run = try graft("migrate", store.path, "--model", plainModel())
        #expect(run.status == 0 && run.diagnostics.contains("Owner.photo of row 1, \(photo)"), "\(run.diagnostics)")
        #expect(try !graft("inspect", store.path).succeeded().text.contains("Large values"))
    }

    @Test func `a pipe in the place of a large value doesn't hold up a backup`() throws {
        // Safe: the call copies the path.
        _ = try replacePhoto { #expect(unsafe mkfifo($0, 0o600) == 0) }
        let input = try folder.file("in.json", #"[{"number": 3}]"#), backup = folder.path("Backup.sqlite")
        try graft("import", input, "--entity", "Badge", "--store", store.path, "--backup", backup).endedWell()
        #expect(try graft("check", backup).text.contains("Owner.photo of row 1"))
    }
}
