// The functions that libFuzzer calls (https://llvm.org/docs/LibFuzzer.html). FUZZ_TARGET says what is fuzzed.

import FuzzTargets
import Foundation

private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        fatalError("FUZZ_TARGET is '\(name)'; there are \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return target
}()

/// Writes the seeds and ends, where FUZZ_SEEDS names a folder.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<Int32>, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> Int32 {
    guard let folder = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
    do {
        for (number, seed) in try target.seeds().enumerated() {
            try seed.write(to: URL(filePath: folder, directoryHint: .isDirectory).appending(path: "seed-\(number)"))
        }
    } catch {
        fatalError("the seeds of \(target): \(error)")
    }
    exit(0)
}

/// One input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    target.run(unsafe Data(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
}

@_silgen_name("LLVMFuzzerMutate")
private func libFuzzerMutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int) -> Int

/// One mutation, with its checksums mended most of the time: what guards them has to be tried, too.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ capacity: Int, _ seed: UInt32) -> Int {
    let length = unsafe libFuzzerMutate(bytes, count, capacity)
    guard target.hasChecksums, seed % 16 != 0 else { return length }
    let buffer = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: capacity)
    let mended = target.mended(unsafe Data(UnsafeRawBufferPointer(rebasing: buffer[..<length])))
    guard mended.count <= capacity else { return length }
    unsafe buffer.copyBytes(from: mended)
    return mended.count
}
