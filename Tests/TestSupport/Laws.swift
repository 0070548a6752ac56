// How much is tried of what could be tried without end: a part in `make test`, all with `LAWS=all` (`make laws`).

import Foundation

/// The extent of property tests.
package enum Laws {
    package static let isThorough = ProcessInfo.processInfo.environment["LAWS"] == "all"

    /// All cases, or every `part`-th of them.
    package static func cases<Cases: Collection>(_ all: Cases, oneOf part: Int = 4) -> [Cases.Element] {
        isThorough ? Array(all) : all.enumerated().filter { $0.offset % part == 0 }.map(\.element)
    }

    /// A number of rounds, or of objects, that needn't be as large every day.
    package static func count(_ all: Int, otherwise some: Int) -> Int { isThorough ? all : some }
}
