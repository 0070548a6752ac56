// What a path means. A command asks Foundation and the system about it, which have to find the same; but Foundation takes a `~` in
// front for a home, as the shell does where it is meant so, and takes `..` together with the name before it, which may be that of a
// link:
//
//     ~/B.sqlite       is ./~/B.sqlite in the working directory
//     link/../B.json   is /data/B.json, where `link` leads to /data/new

import Foundation

enum FilePath {
    /// A path of the command line in words that mean the same to Foundation and to the system; mostly the path itself.
    static func plain(_ argument: String) -> String {
        if StoreAccess.server(path: argument) != nil { return argument }
        let names = argument.split(separator: "/")
        // In front of all names, `..` leads from a folder that no link leads to.
        let start = names.prefix { $0 == "." || $0 == ".." }.count
        guard let last = names.lastIndex(of: ".."), last >= start else {
            return argument.hasPrefix("~") ? "./" + argument : argument
        }
        var folder = argument.hasPrefix("/") ? "/" : FileManager.default.currentDirectoryPath
        for name in names[...last] {
            let next = child(name, of: folder)
            // Nothing is found below a folder that isn't there, wherever `..` would lead from it.
            folder = realPath(next) ?? (name == ".." ? folder : next)
        }
        return names[(last + 1)...].reduce(folder) { child($1, of: $0) }
    }

    /// What a path leads to, links followed; also those that lead to what isn't there yet.
    static func target(of path: String) -> URL {
        var path = path
        // As many links as the system follows.
        for _ in 0..<40 {
            if let found = realPath(path) { return URL(fileURLWithPath: found) }
            let url = URL(fileURLWithPath: path)
            let folder = url.deletingLastPathComponent().path
            let place = URL(fileURLWithPath: realPath(folder) ?? folder).appendingPathComponent(url.lastPathComponent)
            // A pipe of the shell's is there without a path of its own, and what isn't a link leads nowhere else.
            guard FileKind.status(of: path) == nil,
                let next = try? FileManager.default.destinationOfSymbolicLink(atPath: place.path)
            else { return place }
            path = plain(next.hasPrefix("/") ? next : child(next[...], of: place.deletingLastPathComponent().path))
        }
        return URL(fileURLWithPath: path)
    }

    private static func child(_ name: Substring, of folder: String) -> String {
        folder == "/" ? "/\(name)" : "\(folder)/\(name)"
    }

    /// The system's path to what is there, without links; nil where there is nothing.
    private static func realPath(_ path: String) -> String? {
        // Safe: the call copies the path, and returns a string of its own, which is copied and let go.
        guard let found = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(found) }
        return unsafe String(cString: found)
    }
}
