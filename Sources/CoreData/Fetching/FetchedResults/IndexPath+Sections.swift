// Index paths of lists with sections. On Apple's platforms these come with the user-interface frameworks.

public import Foundation

extension IndexPath {
    /// The path of an item in a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The path of a row in a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The section: the first index. A path without two indexes stops the program.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The item in its section: the second index. A path without two indexes stops the program.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// ``item``, as lists call it.
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
