// The memory of packed slots. All unsafe code for them is here; SlotValues.swift is the safe interface.
//
// What makes it safe: a place is read as the type that it was initialised with. Which type that is depends on the slot's form
// alone, which never changes, and whether it is initialised on the slot's bit alone; `.any` is always initialised. A storage is
// written by its one owner.

import Foundation

/// The values of one object's or row's slots.
final class SlotStorage: ManagedBuffer<SlotForms, UInt64> {
    /// Storage in which all slots are null.
    static func make(_ forms: SlotForms) -> SlotStorage {
        let made = empty(forms)
        unsafe made.withUnsafeMutablePointerToElements { words in
            unsafe words.initialize(repeating: 0, count: forms.wordCount)
            for place in forms.managed where place.form == .any {
                unsafe Memory(words, forms).pointer(place, as: ManagedValue.self).initialize(to: .null)
            }
        }
        return made
    }

    /// Storage with the same values.
    func copy() -> SlotStorage {
        let forms = header
        let made = Self.empty(forms)
        unsafe withUnsafeMutablePointerToElements { old in
            unsafe made.withUnsafeMutablePointerToElements { new in
                unsafe new.initialize(from: old, count: forms.wordCount)
                unsafe Memory(new, forms).copyCounted(forms, from: Memory(old, forms))
            }
        }
        return made
    }

    private static func empty(_ forms: SlotForms) -> SlotStorage {
        // Safe: `create` makes an object of the class that it is called on.
        unsafe unsafeDowncast(create(minimumCapacity: forms.wordCount) { _ in forms }, to: SlotStorage.self)
    }

    deinit {
        unsafe withUnsafeMutablePointers { forms, words in
            let memory = unsafe Memory(words, forms.pointee)
            for place in unsafe forms.pointee.managed { unsafe memory.drop(place) }
        }
    }

    // MARK: Values

    @inline(__always)
    func value(_ slot: Int) -> ManagedValue {
        unsafe withUnsafeMutablePointers { forms, words in
            unsafe Memory(words, forms.pointee).value(forms.pointee[slot])
        }
    }

    /// Sets a slot; returns false, without a change, where the value isn't of the slot's form. Only for a storage's one owner.
    @inline(__always)
    func set(_ slot: Int, to value: ManagedValue) -> Bool {
        unsafe withUnsafeMutablePointers { forms, words in
            unsafe Memory(words, forms.pointee).set(forms.pointee[slot], to: value)
        }
    }

    /// The place of a slot of any kind, to change it there; nil for others. Valid while the storage is.
    @inline(__always)
    func anyValue(_ slot: Int) -> UnsafeMutablePointer<ManagedValue>? {
        unsafe withUnsafeMutablePointers { forms, words in
            let place = unsafe forms.pointee[slot]
            guard place.form == .any else { return nil }
            return unsafe Memory(words, forms.pointee).pointer(place, as: ManagedValue.self)
        }
    }
}

/// The memory of a storage while it is used.
@unsafe private struct Memory {
    private let bytes: UnsafeMutableRawPointer
    private let bits: UnsafeMutablePointer<UInt8>

    @inline(__always)
    init(_ words: UnsafeMutablePointer<UInt64>, _ forms: SlotForms) {
        unsafe bytes = UnsafeMutableRawPointer(words)
        unsafe bits = (bytes + forms.bits).assumingMemoryBound(to: UInt8.self)
    }

    /// A slot as the type of its form.
    @inline(__always)
    func pointer<Value>(_ place: SlotForms.Place, as type: Value.Type) -> UnsafeMutablePointer<Value> {
        unsafe (bytes + Int(place.offset)).assumingMemoryBound(to: type)
    }

    @inline(__always)
    private func isSet(_ slot: Int32) -> Bool {
        unsafe bits[Int(slot) / 8] & (1 << UInt8(truncatingIfNeeded: slot % 8)) != 0
    }

    @inline(__always)
    private func mark(_ slot: Int32, set isSet: Bool) {
        let bit = 1 << UInt8(truncatingIfNeeded: slot % 8) as UInt8
        if isSet { unsafe bits[Int(slot) / 8] |= bit } else { unsafe bits[Int(slot) / 8] &= ~bit }
    }

    @inline(__always)
    func value(_ place: SlotForms.Place) -> ManagedValue {
        if place.form == .any { return unsafe pointer(place, as: ManagedValue.self).pointee }
        guard unsafe isSet(place.slot) else { return .null }
        switch place.form {
        case .boolean: return unsafe .boolean(pointer(place, as: Bool.self).pointee)
        case .integer16: return unsafe .integer(Int64(pointer(place, as: Int16.self).pointee))
        case .integer32: return unsafe .integer(Int64(pointer(place, as: Int32.self).pointee))
        case .integer64: return unsafe .integer(pointer(place, as: Int64.self).pointee)
        case .double: return unsafe .double(pointer(place, as: Double.self).pointee)
        case .date: return unsafe .date(pointer(place, as: Double.self).pointee)
        case .string: return unsafe .string(pointer(place, as: String.self).pointee)
        case .data: return unsafe .data(pointer(place, as: Data.self).pointee)
        case .uuid: return unsafe .uuid(pointer(place, as: UUID.self).pointee)
        case .destination: return unsafe destination(pointer(place, as: NSObject.self).pointee)
        case .any: return .null
        }
    }

    /// What stands in the place of a to-one relationship is an object or an ID.
    @inline(__always)
    private func destination(_ found: NSObject) -> ManagedValue {
        // Safe: one of two classes, of which the ID's has no subclass.
        if type(of: found) == NSManagedObjectID.self {
            return unsafe .objectID(unsafeDowncast(found, to: NSManagedObjectID.self))
        }
        return unsafe .object(unsafeDowncast(found, to: NSManagedObject.self))
    }

    @inline(__always)
    func set(_ place: SlotForms.Place, to value: ManagedValue) -> Bool {
        switch (place.form, value) {
        case (.any, _):
            unsafe pointer(place, as: ManagedValue.self).pointee = value
            return true
        case (_, .null):
            unsafe drop(place)
            unsafe mark(place.slot, set: false)
            return true
        case (.boolean, .boolean(let value)): unsafe store(value, place)
        case (.integer16, .integer(let value)):
            guard let value = Int16(exactly: value) else { return false }
            unsafe store(value, place)
        case (.integer32, .integer(let value)):
            guard let value = Int32(exactly: value) else { return false }
            unsafe store(value, place)
        case (.integer64, .integer(let value)): unsafe store(value, place)
        case (.double, .double(let value)), (.date, .date(let value)): unsafe store(value, place)
        case (.string, .string(let value)): unsafe store(value, place)
        case (.data, .data(let value)): unsafe store(value, place)
        case (.uuid, .uuid(let value)): unsafe store(value, place)
        case (.destination, .object(let value)): unsafe store(value as NSObject, place)
        case (.destination, .objectID(let value)): unsafe store(value as NSObject, place)
        default: return false
        }
        unsafe mark(place.slot, set: true)
        return true
    }

    @inline(__always)
    private func store<Value>(_ value: Value, _ place: SlotForms.Place) {
        if unsafe isSet(place.slot) {
            unsafe pointer(place, as: Value.self).pointee = value
        } else {
            unsafe pointer(place, as: Value.self).initialize(to: value)
        }
    }

    /// Drops the value of a slot, if there is one.
    @inline(__always)
    func drop(_ place: SlotForms.Place) {
        if place.form == .any {
            unsafe pointer(place, as: ManagedValue.self).deinitialize(count: 1)
            return
        }
        guard unsafe isSet(place.slot) else { return }
        switch place.form {
        case .string: unsafe pointer(place, as: String.self).deinitialize(count: 1)
        case .data: unsafe pointer(place, as: Data.self).deinitialize(count: 1)
        case .destination: unsafe pointer(place, as: NSObject.self).deinitialize(count: 1)
        default: break
        }
    }

    /// Makes the values that are counted, of which there are only the bytes yet, copies of others.
    func copyCounted(_ forms: SlotForms, from other: Memory) {
        func copy<Value>(_ place: SlotForms.Place, _ type: Value.Type) {
            unsafe pointer(place, as: type).initialize(to: other.pointer(place, as: type).pointee)
        }
        for place in forms.managed {
            if place.form == .any {
                copy(place, ManagedValue.self)
                continue
            }
            guard unsafe isSet(place.slot) else { continue }
            switch place.form {
            case .string: copy(place, String.self)
            case .data: copy(place, Data.self)
            case .destination: copy(place, NSObject.self)
            default: break
            }
        }
    }
}
