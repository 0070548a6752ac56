// Work that takes a while: a signal cancels it, and a line on the terminal shows how far it is.

import Foundation

extension Console {
    /// Runs work with the progress that it advances.
    ///
    /// - Parameter title: What is shown beside the progress; nil where nothing is to be shown.
    func working<T>(_ title: String?, _ work: (Progress) throws -> T) rethrows -> T {
        let progress = Progress(totalUnitCount: -1)
        let interruption = Interruption(cancelling: progress)
        let bar = title.map { ProgressBar(progress, title: $0, console: self) }
        defer {
            bar?.end()
            interruption.end()
        }
        return try work(progress)
    }
}
