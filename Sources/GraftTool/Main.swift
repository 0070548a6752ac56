// The entry point. Everything else takes its arguments and streams from outside, so that tests can run it in process.

import Foundation

@main
enum Main {
    static func main() {
        // A reader that goes away and a limit on file sizes become errors of `write`, instead of signals that end the process
        // without clean-up.
        _ = signal(SIGPIPE, SIG_IGN)
        _ = signal(SIGXFSZ, SIG_IGN)
        // A stream that is closed would give its number to the next file that is opened, a store for instance. What stands
        // for it can't be used in the stream's direction, so that using it is an error.
        for stream in STDIN_FILENO...STDERR_FILENO where fcntl(stream, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
        Console.widen()
        exit(Tool.run(Array(CommandLine.arguments.dropFirst()), console: Console()))
    }
}
