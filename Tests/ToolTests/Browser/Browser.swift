// Chromium without a window, by its DevTools protocol over a pair of pipes: messages in JSON, each ended by a zero byte.

import Foundation
import Testing

extension Trait where Self == ConditionTrait {
    /// Skips what opens a browser: `make test` never does, `make test-browser` does where there is one.
    static var needsBrowser: Self {
        .enabled("Only `make test-browser` opens Chromium, where that is installed") {
            ProcessInfo.processInfo.environment["GRAFT_BROWSER"] == "1" && Browser.program != nil
        }
    }
}

/// A browser with one page.
final class Browser {
    static let program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// How wide the page is, and in which colours.
    enum View: String, CaseIterable {
        case light, dark, phone
    }

    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// What the page has written on its console, and what went wrong in it.
    private(set) var messages: [String] = []

    private let folder: TemporaryFolder
    private let process = Process()
    private let input: FileHandle
    private let output: FileHandle
    private var unread = Data()
    private var lastID = 0
    private var session: String?
    private var events: [String] = []

    init() throws {
        folder = try TemporaryFolder()
        for name in ["in", "out"] {
            // Safe: the path is a string, which the call copies.
            guard unsafe mkfifo(folder.path(name), 0o600) == 0 else { throw Failure(description: "mkfifo: \(errno)") }
        }
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        // The numbers 3 and 4 are the protocol's. A browser that hangs goes after ten minutes, and the test fails.
        process.arguments = [
            "-c",
            """
            exec timeout 600 "$0" --headless --no-sandbox --disable-gpu --disable-smooth-scrolling --hide-scrollbars --remote-debugging-pipe \
            --user-data-dir="$1/profile" 3<"$1/in" 4>"$1/out" 2>"$1/log"
            """, Self.program ?? "chromium", folder.url.path,
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        input = try FileHandle(forWritingTo: folder.url.appending(path: "in"))
        output = try FileHandle(forReadingFrom: folder.url.appending(path: "out"))
        let target = try send("Target.createTarget", ["url": "about:blank"])["targetId"] ?? ""
        session = try send("Target.attachToTarget", ["targetId": target, "flatten": true])["sessionId"] as? String
        for domain in ["Page", "Runtime", "Log"] { _ = try send("\(domain).enable") }
    }

    deinit { process.terminate() }

    // MARK: Pages

    /// Opens a file, and waits until it is there.
    func open(_ page: URL, as view: View) throws {
        messages = []
        events = []
        let isPhone = view == .phone
        _ = try send(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": isPhone ? 390 : 1280, "height": isPhone ? 844 : 960, "deviceScaleFactor": 1, "mobile": isPhone,
            ])
        _ = try send(
            "Emulation.setEmulatedMedia",
            ["features": [["name": "prefers-color-scheme", "value": view == .dark ? "dark" : "light"]]])
        _ = try send("Page.navigate", ["url": page.absoluteString])
        while !events.contains("Page.loadEventFired") { try receive() }
    }

    /// Keeps a picture of what can be seen, in `.build/screenshots`.
    func screenshot(_ name: String) throws {
        let answer = try send("Page.captureScreenshot", ["format": "png"])
        let folder = Project.root.appending(path: ".build/screenshots")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let data = try #require(Data(base64Encoded: answer["data"] as? String ?? ""))
        #expect(data.count > 5000)
        try data.write(to: folder.appending(path: "\(name).png"))
    }

    /// The value of an expression of JavaScript, which the page's policy doesn't forbid to us; a promise is waited for.
    func value(_ expression: String) throws -> Any? {
        let answer = try send(
            "Runtime.evaluate", ["expression": expression, "returnByValue": true, "awaitPromise": true])
        if let details = answer["exceptionDetails"] { throw Failure(description: "\(expression): \(details)") }
        return (answer["result"] as? [String: Any])?["value"]
    }

    func number(_ expression: String) throws -> Double {
        try #require(try value(expression) as? NSNumber, "\(expression)").doubleValue
    }

    func text(_ expression: String) throws -> String { try value(expression) as? String ?? "" }

    // MARK: Keys

    enum Key: String {
        case tab = "Tab"
        case space = " "
        case enter = "Enter"
        case right = "ArrowRight"
        case down = "ArrowDown"
        case escape = "Escape"

        var code: Int {
            switch self {
            case .tab: 9
            case .space: 32
            case .enter: 13
            case .right: 39
            case .down: 40
            case .escape: 27
            }
        }
        var text: String? {
            switch self {
            case .space: " "
            case .enter: "\r"
            case .tab, .right, .down, .escape: nil
            }
        }
    }

    /// Types a text into what has the focus.
    func type(_ text: String) throws { _ = try send("Input.insertText", ["text": text]) }

    func press(_ key: Key) throws {
        var event: [String: Any] = [
            "type": key.text == nil ? "rawKeyDown" : "keyDown", "key": key.rawValue, "windowsVirtualKeyCode": key.code,
            "code": key == .space ? "Space" : key.rawValue,
        ]
        event["text"] = key.text
        _ = try send("Input.dispatchKeyEvent", event)
        event["type"] = "keyUp"
        event["text"] = nil
        _ = try send("Input.dispatchKeyEvent", event)
    }

    /// Presses Tab until what has the focus fulfils a condition on `document.activeElement`, called `e`.
    func tab(to condition: String, atMost limit: Int = 200) throws {
        for _ in 0..<limit {
            try press(.tab)
            if try value("(e => \(condition))(document.activeElement)") as? Bool == true { return }
        }
        throw Failure(description: "no Tab leads to \(condition)")
    }

    // MARK: The protocol

    private func send(_ method: String, _ parameters: [String: Any] = [:]) throws -> [String: Any] {
        lastID += 1
        var message: [String: Any] = ["id": lastID, "method": method, "params": parameters]
        message["sessionId"] = session
        try input.write(contentsOf: JSONSerialization.data(withJSONObject: message) + [0])
        while true {
            let answer = try receive()
            guard answer["id"] as? Int == lastID else { continue }
            if let error = answer["error"] { throw Failure(description: "\(method): \(error)") }
            return answer["result"] as? [String: Any] ?? [:]
        }
    }

    /// Waits for the next message; what is an event is noted.
    @discardableResult
    private func receive() throws -> [String: Any] {
        while !unread.contains(0) {
            let data = output.availableData
            guard !data.isEmpty else { throw Failure(description: "The browser is gone: \(try log)") }
            unread += data
        }
        let bytes = unread.prefix { $0 != 0 }
        unread = Data(unread.dropFirst(bytes.count + 1))
        let message = try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any] ?? [:]
        if let event = message["method"] as? String {
            events.append(event)
            if ["Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"].contains(event) {
                messages.append("\(message["params"] ?? "")")
            }
        }
        return message
    }

    private var log: String {
        get throws { String(try String(contentsOfFile: folder.path("log"), encoding: .utf8).suffix(500)) }
    }
}
