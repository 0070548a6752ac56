// Sets written as literals, as in `author.addToBooks([first, second])`: Foundation's on Linux aren't, where those of Apple's platforms
// are. As with `NSPredicate(format:)`, the initialiser is in a protocol's extension, because only there may it assign `self`.

public import Foundation

/// Gives `NSSet` and `NSMutableSet` the initialiser of array literals. Make others, as `NSCountedSet`, by `init(array:)`.
public protocol SetLiteralReading {}

extension NSSet: SetLiteralReading {}

extension SetLiteralReading {
    /// A set of the elements of a literal.
    public init(arrayLiteral elements: Any...) {
        // `Self` is `NSSet` for a literal of `NSMutableSet`, too.
        guard let set = NSMutableSet(array: elements) as? Self else {
            fatalError("A \(Self.self) can't be written as a literal. Make an NSSet, or use init(array:).")
        }
        self = set
    }
}

extension NSSet: @retroactive ExpressibleByArrayLiteral {}
