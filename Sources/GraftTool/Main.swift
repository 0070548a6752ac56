// The entry point. Everything else takes its arguments and streams from outside, so that tests can run it in process.

import Foundation

@main
enum Main {
    static func main() {
        // A reader that goes away and a limit on file sizes become errors of `write`, instead of signals that end the process
        // without clean-up.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        exit(Tool.run(Array(CommandLine.arguments.dropFirst()), console: Console()))
    }
}
