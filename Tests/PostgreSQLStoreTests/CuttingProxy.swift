// A socket in front of a server's that cuts each connection after a random number of bytes.

#if PostgreSQL

    import Foundation
    import Synchronization

    final class CuttingProxy: Sendable {
        let folder: String
        private let server: String
        private let listener: Int32
        private let isOver = Mutex(false)
        private let cuts = Mutex(0)

        var cutCount: Int { cuts.withLock { $0 } }

        init(to server: String) throws {
            self.server = server
            folder =
                FileManager.default.temporaryDirectory.appendingPathComponent("graft-proxy-\(UUID().uuidString)").path
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let address = "\(folder)/.s.PGSQL.5432"
            guard unsafe Self.withAddress(address, { unsafe bind(listener, $0, $1) }) == 0,
                listen(listener, 64) == 0
            else { throw CocoaError(.fileWriteUnknown) }
            Thread.detachNewThread { self.accept() }
        }

        func end() {
            isOver.withLock { $0 = true }
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
            try? FileManager.default.removeItem(atPath: folder)
        }

        private func accept() {
            while !isOver.withLock({ $0 }) {
                let client = Glibc.accept(listener, nil, nil)
                if client < 0 { return }
                let other = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
                guard unsafe Self.withAddress(server, { unsafe connect(other, $0, $1) }) == 0 else {
                    close(client)
                    close(other)
                    continue
                }
                // Most get through the beginning; some are cut there.
                let budget = Int.random(in: 0..<10) == 0 ? Int.random(in: 1..<400) : Int.random(in: 400..<60_000)
                Thread.detachNewThread { self.forward(client, other, budget) }
            }
        }

        private func forward(_ client: Int32, _ server: Int32, _ budget: Int) {
            var left = budget
            var buffer = [UInt8](repeating: 0, count: 4096)
            while left > 0 {
                var places = [
                    pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: server, events: Int16(POLLIN), revents: 0),
                ]
                guard unsafe poll(&places, 2, 30_000) > 0 else { break }
                var isOpen = true
                for (place, target) in [(places[0], server), (places[1], client)] where place.revents != 0 {
                    let count = unsafe read(place.fd, &buffer, min(buffer.count, left))
                    guard count > 0, unsafe write(target, &buffer, count) == count else {
                        isOpen = false
                        break
                    }
                    left -= count
                    if left == 0 { break }
                }
                if !isOpen { break }
            }
            if left == 0 { cuts.withLock { $0 += 1 } }
            close(client)
            close(server)
        }

        private static func withAddress(
            _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
        ) -> Int32 {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            unsafe withUnsafeMutableBytes(of: &address.sun_path) { place in
                unsafe place.copyBytes(from: Array(path.utf8.prefix(100)) + [0])
            }
            return unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    unsafe body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
        }
    }

#endif
