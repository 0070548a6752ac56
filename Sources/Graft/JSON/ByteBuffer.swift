// The writer's buffer. Its memory is reached through raw pointers here and nowhere else; every append makes room first.

import Foundation

/// Bytes that grow at the end.
@safe
struct ByteBuffer: ~Copyable {
    private var memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(capacity: Int) {
        unsafe memory = .allocate(byteCount: max(64, capacity), alignment: 16)
    }

    deinit { unsafe memory.deallocate() }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        makeRoom(for: 1)
        // Safe: there is room for one more.
        unsafe memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ bytes: Span<UInt8>) {
        makeRoom(for: bytes.count)
        // Safe: there is room for `bytes.count` more, and the span can't be part of this memory, which has no other users.
        unsafe bytes.withUnsafeBytes { source in
            guard let from = source.baseAddress, let to = unsafe memory.baseAddress else { return }
            unsafe (to + count).copyMemory(from: from, byteCount: source.count)
        }
        count &+= bytes.count
    }

    /// Appends the bytes of a number, the least significant one first.
    @inline(__always)
    mutating func append(littleEndian value: some FixedWidthInteger) {
        var rest = value
        makeRoom(for: MemoryLayout.size(ofValue: value))
        for _ in 0..<MemoryLayout.size(ofValue: value) {
            // Safe: there is room for all of its bytes.
            unsafe memory.storeBytes(of: UInt8(truncatingIfNeeded: rest), toByteOffset: count, as: UInt8.self)
            count &+= 1
            rest &>>= 8
        }
    }

    /// Appends the decimal digits of a number.
    mutating func append(digitsOf value: UInt64) {
        var length = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            length &+= 1
        }
        makeRoom(for: length)
        rest = value
        var index = length
        while index > 0 {
            index &-= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            // Safe: `index` is below `length`, for which there is room.
            unsafe memory.storeBytes(of: UInt8(digit) &+ 0x30, toByteOffset: count &+ index, as: UInt8.self)
            rest = quotient
        }
        count &+= length
    }

    mutating func removeAll() { count = 0 }

    /// Calls the closure with the contents.
    borrowing func withBytes<R>(_ body: (Span<UInt8>) throws -> R) rethrows -> R {
        // Safe: the first `count` bytes have been written, and the span doesn't outlive the call.
        let written = unsafe UnsafeBufferPointer(rebasing: memory.bindMemory(to: UInt8.self)[..<count])
        return try body(unsafe written.span)
    }

    /// A copy of the contents.
    var data: Data { unsafe Data(memory[..<count]) }

    @inline(__always)
    private mutating func makeRoom(for more: Int) {
        if unsafe more > memory.count &- count { grow(for: more) }
    }

    @inline(never)
    private mutating func grow(for more: Int) {
        let (needed, overflows) = count.addingReportingOverflow(more)
        guard !overflows, needed < Int.max / 2 else { fatalError("A JSON text became too long for the memory.") }
        let larger = unsafe UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(needed, memory.count * 2), alignment: 16)
        // Safe: the new memory is larger than the old one.
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(memory))
        unsafe memory.deallocate()
        unsafe memory = larger
    }
}
