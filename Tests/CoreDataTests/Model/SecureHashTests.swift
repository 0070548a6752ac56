// The hashes against the example values that NIST gives for FIPS 180-4, and lengths around the ends of blocks.

import Foundation
import Testing

@testable import CoreData

@Suite struct SecureHashTests {
    struct Example: CustomTestStringConvertible {
        let name: String, message: String, sha256: String, sha512: String
        var testDescription: String { name }
    }

    @Test(arguments: [
        Example(
            name: "nothing", message: "",
            sha256: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            sha512: "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"),
        Example(
            name: "one block", message: "abc",
            sha256: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            sha512: "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
        Example(
            name: "two blocks",
            message: "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
                + "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            sha256: "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1",
            sha512: "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
                + "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"),
        Example(
            name: "a million letters", message: String(repeating: "a", count: 1_000_000),
            sha256: "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
            sha512: "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"),
    ])
    func `a hash is the one that the standard gives`(_ example: Example) {
        #expect(hex(SHA256.hash(example.message.utf8)) == example.sha256)
        #expect(hex(SHA512.hash(example.message.utf8)) == example.sha512)
    }

    // Computed with Python's hashlib: SHA-256 and SHA-512 over the hashes of 0 to 299 zero bytes.
    @Test func `every length around the end of a block has its hash`() {
        var all256 = SHA256()
        var all512 = SHA512()
        for count in 0..<300 {
            all256.update(SHA256.hash(repeatElement(0, count: count)))
            all512.update(SHA512.hash(repeatElement(0, count: count)))
        }
        #expect(hex(all256.finalize()) == "a623c720bdf879ab1ab1d3f3b1af698237802d9f4af8be0b0b8cd87f36e9fca4")
        #expect(
            hex(all512.finalize())
                == "99b727212b956991a2dec9cc0928ec9bf257ddcfcf24bae6a3284afda3e9a0ea"
                + "97cfee2294ade469481a06d2dec763ba3daf000a59d4880ca882da039d2474b7")
    }

    @Test func `a message in parts has the hash of the whole`() {
        let message = Array("The quick brown fox jumps over the lazy dog. ".utf8) + Array(0...255)
        for length in [1, 7, 63, 64, 65, 127, 128, 129] {
            var hash = SHA512()
            for start in stride(from: 0, to: message.count, by: length) {
                hash.update(message[start..<min(start + length, message.count)])
            }
            #expect(hash.finalize() == SHA512.hash(message))
        }
    }

    private func hex(_ bytes: Data) -> String {
        bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}
