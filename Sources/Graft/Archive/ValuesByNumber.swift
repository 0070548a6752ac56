// What is known of objects by their numbers in an archive. A reference can lead to any number that the header announces, and a
// header can announce two thousand million objects in a few bytes: only what is entered takes memory.

/// Values by number.
struct ValuesByNumber<Value> {
    private var values: [Value?] = []

    /// The value of a number; nil where there is none. Setting makes room up to the number, which is to be that of an object
    /// that has been read.
    @inline(__always)
    subscript(_ number: Int) -> Value? {
        get { number < values.count ? values[number] : nil }
        set {
            if number < values.count {
                values[number] = newValue
            } else if let newValue {
                while values.count < number { values.append(nil) }
                values.append(newValue)
            }
        }
    }

    /// The values there are, by number.
    var present: some Sequence<Value> { values.lazy.compactMap(\.self) }
}
