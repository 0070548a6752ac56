// What may stand for `%@` in a format. On Apple's platforms these bridge to objects, which are `CVarArg`; here each type has
// to say so. Formats read the values themselves; only C's variable arguments need the encoding, a pointer to an object,
// and the object, which the list of arguments keeps alive (`_CVarArgObject`).

public import Foundation

// Foundation's own conformance arrives with Swift 6.4.
#if compiler(<6.4)
    extension NSObject: @retroactive CVarArg {
        /// The object's address.
        public var _cVarArgEncoding: [Int] { _encodeBitsAsWords(self) }
    }
#endif

extension Date: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that stands for the value.
    public var _cVarArgObject: any CVarArg { self as NSDate }

    /// The address of the object that stands for the value.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension UUID: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that stands for the value.
    public var _cVarArgObject: any CVarArg { self as NSUUID }

    /// The address of the object that stands for the value.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension URL: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that stands for the value.
    public var _cVarArgObject: any CVarArg { self as NSURL }

    /// The address of the object that stands for the value.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Data: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that stands for the value.
    public var _cVarArgObject: any CVarArg { self as NSData }

    /// The address of the object that stands for the value.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Decimal: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that stands for the value.
    public var _cVarArgObject: any CVarArg { NSDecimalNumber(decimal: self) }

    /// The address of the object that stands for the value.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Array: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that stands for the value.
    public var _cVarArgObject: any CVarArg { NSArray(array: self) }

    /// The address of the object that stands for the value.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Set: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that stands for the value.
    public var _cVarArgObject: any CVarArg { NSSet(set: self) }

    /// The address of the object that stands for the value.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}

extension Dictionary: @retroactive CVarArg, @retroactive _CVarArgObject {
    /// The object that stands for the value.
    public var _cVarArgObject: any CVarArg { NSDictionary(dictionary: self) }

    /// The address of the object that stands for the value.
    public var _cVarArgEncoding: [Int] { _cVarArgObject._cVarArgEncoding }
}
