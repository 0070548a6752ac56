// A string's bytes as a span, also where the standard library's own property is too new.

extension String {
    /// Calls the closure with the string's UTF-8.
    @inline(__always)
    func withUTF8Span<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        #if canImport(Darwin)
            var result: Result<R, E>?
            var string = self
            // Safe: the span is used during the call alone.
            string.withUTF8 { buffer in
                do throws(E) { result = .success(try body(unsafe buffer.span)) } catch { result = .failure(error) }
            }
            // The closure above is always called.
            return try result!.get()
        #else
            return try body(utf8.span)
        #endif
    }
}
