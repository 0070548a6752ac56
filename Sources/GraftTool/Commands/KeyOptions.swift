// What the caller says of what tells objects apart, in the commands that compare and in imports.

import ArgumentParser
import Graft

/// `--key Entity=attribute,attribute`, `--key Entity=` and `--key auto`.
struct KeyOptions: ParsableArguments {
    @Option(
        name: .customLong("key"), parsing: .singleValue,
        help: ArgumentHelp(
            "What tells the objects of an entity apart: ENTITY=ATTRIBUTE[,ATTRIBUTE]. ENTITY= turns a guess off, auto "
                + "takes every guess. Can be repeated.", valueName: "key"))
    var texts: [String] = []

    func validate() throws {
        for text in texts where text != "auto" && Self.parts(text) == nil {
            throw ValidationError("--key needs ENTITY=ATTRIBUTE, ENTITY= or auto, not '\(text)'.")
        }
    }

    /// The properties by entity.
    var keys: [String: [String]] {
        Dictionary(texts.compactMap(Self.parts)) { $1 }
    }

    /// Whether guesses are agreed to.
    var isAuto: Bool { texts.contains("auto") }

    /// What the options say to a diff.
    var diffOptions: DiffOptions { DiffOptions(keys: keys, guessesKeys: isAuto ? true : nil) }

    private static func parts(_ text: String) -> (String, [String])? {
        guard let sign = text.firstIndex(of: "="), sign != text.startIndex else { return nil }
        let names = text[text.index(after: sign)...].split(separator: ",").map { name in
            String(name.drop { $0 == " " })
        }
        return (String(text[..<sign]), names)
    }
}
