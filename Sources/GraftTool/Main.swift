// The entry point. Everything else takes its arguments and streams from outside, so that tests can run it in process.

import Foundation

@main
enum Main {
    static func main() {
        // A reader that goes away is told by an error of `write`, not by a signal that ends the process without clean-up.
        _ = signal(SIGPIPE, SIG_IGN)
        exit(Tool.run(Array(CommandLine.arguments.dropFirst()), console: Console()))
    }
}
