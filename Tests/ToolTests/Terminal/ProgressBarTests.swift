// The line that shows progress: never wider than the terminal, whatever it is given.

@testable import GraftTool
import Testing

@Suite struct ProgressBarTests {
    @Test func `the bar shows title and share`() {
        let line = ProgressBar.line(title: "heroes.json", fraction: 0.5, width: 80)
        #expect(
            line == "heroes.json  [" + String(repeating: "#", count: 20) + String(repeating: "-", count: 20) + "]   50%"
        )
    }

    @Test(arguments: [-1, 0, 0.001, 0.5, 0.999, 1, 2, Double.nan, .infinity], [0, 1, 10, 20, 40, 80, 200])
    func `the line fits the terminal`(_ fraction: Double, _ width: Int) {
        let line = ProgressBar.line(
            title: "a-file-with-a-name-that-is-rather-long.json", fraction: fraction, width: width)
        #expect(line.count <= max(width, 4))
        #expect(line.hasSuffix("%"))
    }

    @Test func `100% is shown only at the end`() {
        #expect(ProgressBar.line(title: "a", fraction: 0.9999, width: 80).hasSuffix(" 99%"))
        #expect(ProgressBar.line(title: "a", fraction: 1, width: 80).hasSuffix("100%"))
    }
}
