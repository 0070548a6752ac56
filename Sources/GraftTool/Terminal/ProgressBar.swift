// A line on the terminal that shows how far the work is. On anything but a terminal there is none.

import Foundation

/// Draws a `Progress` while it advances.
///
///     heroes.json  [#########################---------------]  62%  48,000 objects
final class ProgressBar {
    private let console: Console
    private let timer: (any DispatchSourceTimer)?

    /// Starts to draw, at most ten times a second, unless nobody watches.
    init(_ progress: Progress, title: String, console: Console) {
        self.console = console
        guard console.isWatched else {
            timer = nil
            return
        }
        let timer = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "graft.progress"))
        timer.schedule(deadline: .now() + .milliseconds(300), repeating: .milliseconds(100))
        timer.setEventHandler {
            let line = Self.line(title: title, fraction: progress.fractionCompleted, width: console.width)
            console.show("\r\(line)\u{1B}[K")
        }
        timer.resume()
        self.timer = timer
    }

    /// Ends the drawing and clears the line.
    func end() {
        guard let timer else { return }
        timer.cancel()
        console.show("\r\u{1B}[K")
    }

    /// One drawing, no wider than the terminal.
    static func line(title: String, fraction: Double, width: Int) -> String {
        let done = min(max(fraction.isFinite ? fraction : 0, 0), 1)
        let percent = "\(Int((done * 100).rounded(.down)))%"
        let name = title.count <= 24 ? title : "…\(title.suffix(23))"
        let room = min(width - 1 - name.count - 10, 40)
        guard room >= 4 else { return percent }
        let filled = Int(done * Double(room))
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: room - filled)
        return "\(name)  [\(bar)]  \(String(repeating: " ", count: 4 - percent.count))\(percent)"
    }
}
