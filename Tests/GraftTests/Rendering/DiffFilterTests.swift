// The script of a diff's page. Tests/ToolTests/Browser has what it does.

import Foundation
import Testing

@testable import CoreData
@testable import Graft

@Suite struct DiffFilterTests {
    @Test func `the script is the one that the page's policy allows`() {
        let hash = Data(SHA256.hash(DiffFilter.script.text.utf8)).base64EncodedString()
        #expect(DiffFilter.script.hash == "sha256-\(hash)")
    }
}
