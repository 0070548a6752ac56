// The values of slots, packed where they are what the model says. Values like an array's: copies share storage until one of
// them is changed.

import Foundation

/// The values of an object's or a row's slots, in the slots' order.
package struct SlotValues {
    private enum Storage {
        case packed(SlotStorage)
        /// Of no entity, or with a value of another kind than its attribute's.
        case plain([ManagedValue])
    }

    private var storage: Storage

    /// Packs values; their number is that of the forms.
    init(_ values: [ManagedValue], _ forms: SlotForms) {
        storage = .packed(SlotStorage.make(forms))
        for (slot, value) in values.enumerated() {
            if case .null = value { continue }
            self[slot] = value
        }
    }

    /// The values of slots as they are given.
    package init(plain values: [ManagedValue]) { storage = .plain(values) }

    package subscript(slot: Int) -> ManagedValue {
        @inline(__always)
        get {
            switch storage {
            case .packed(let packed): packed.value(slot)
            case .plain(let values): values[slot]
            }
        }
        @inline(__always)
        set {
            let packed = owned()
            if let packed, packed.set(slot, to: newValue) { return }
            setPlain(slot, newValue)
        }
        // Relationships with many members are changed where they are: taking them out would copy them.
        _modify {
            if let place = unsafe owned()?.anyValue(slot) {
                // Safe: `storage` holds what the place is in, and nobody else can reach it before this ends.
                yield unsafe &place.pointee
                return
            }
            if case .plain(var values) = storage {
                storage = .plain([])
                defer { storage = .plain(values) }
                yield &values[slot]
                return
            }
            var value = self[slot]
            yield &value
            self[slot] = value
        }
    }

    /// Sets slots one after the other, which costs less than setting each by itself.
    ///
    /// - Parameter next: A slot and its value, for each number up to the count.
    @inline(__always)
    mutating func setAll(_ count: Int, _ next: (Int) throws -> (slot: Int, value: ManagedValue)) rethrows {
        guard let packed = owned() else { return try setEach(0..<count, next) }
        for index in 0..<count {
            let (slot, value) = try next(index)
            if packed.set(slot, to: value) { continue }
            setPlain(slot, value)
            return try setEach(index + 1..<count, next)
        }
    }

    private mutating func setEach(
        _ range: Range<Int>, _ next: (Int) throws -> (slot: Int, value: ManagedValue)
    ) rethrows {
        for index in range {
            let (slot, value) = try next(index)
            self[slot] = value
        }
    }

    /// The packed storage, after making it this value's own; nil where the values are plain.
    @inline(__always)
    private mutating func owned() -> SlotStorage? {
        guard case .packed(var packed) = storage else { return nil }
        storage = .plain([])
        if !isKnownUniquelyReferenced(&packed) { packed = packed.copy() }
        storage = .packed(packed)
        return packed
    }

    private mutating func setPlain(_ slot: Int, _ value: ManagedValue) {
        var values = Array(self)
        storage = .plain([])
        values[slot] = value
        storage = .plain(values)
    }
}

extension SlotValues: RandomAccessCollection {
    package var startIndex: Int { 0 }

    package var endIndex: Int {
        switch storage {
        case .packed(let packed): packed.header.count
        case .plain(let values): values.count
        }
    }
}

extension SlotValues: ExpressibleByArrayLiteral {
    package init(arrayLiteral values: ManagedValue...) { storage = .plain(values) }
}
