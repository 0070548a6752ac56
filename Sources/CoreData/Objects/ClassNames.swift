// From classes to names and back, in Foundation's form `Module.Class`. Foundation on Linux has the two functions
// `NSStringFromClass` and `NSClassFromString` for them; the first stops the program for a class within another type, and the
// second doesn't find one.

import CClassNames
import Foundation

package enum ClassNames {
    /// The name of a class with its module and the types that it is declared in: `Shop.Order.Line`.
    package static func name(of cls: AnyClass) -> String { String(reflecting: cls) }

    /// The class of a name with its module.
    static func classNamed(_ name: String) -> AnyClass? {
        let steps = name.split(separator: ".", omittingEmptySubsequences: false)
        if steps.count == 2, let found = NSClassFromString(name) { return found }
        guard steps.count > 2 else { return nil }
        return classes(endingIn: name).first { self.name(of: $0) == name }
    }

    /// All classes of the program whose name, with the types that they are in and the module, ends in a name: `Line`,
    /// `Order.Line` or `Shop.Order.Line`.
    static func classes(endingIn name: String) -> [AnyClass] {
        guard let last = name.split(separator: ".").last, let names = unsafe core_data_class_names(String(last)) else {
            return []
        }
        defer { unsafe free(names) }
        let text = unsafe String(cString: names)
        return text.split(separator: "\n").compactMap { _typeByName(String($0)) as? AnyClass }
            .filter { ".\(self.name(of: $0))".hasSuffix(".\(name)") }
    }
}
