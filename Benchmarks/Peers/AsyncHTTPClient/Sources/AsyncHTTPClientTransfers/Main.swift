import AsyncHTTPClient
import NIOCore
import Synchronization

/// `async-http-client-transfers --transfers N --concurrency K --bytes B [--stream] URL`
///
/// What `calotype-benchmarks --transfers` does, with AsyncHTTPClient: N times the URL with a number as its query, K at a
/// time, each body whole in memory or, with `--stream`, chunk by chunk and dropped. Fails if a body has not B bytes.
@main
enum Main {
  static func main() async throws {
    var numbers: [String: Int] = [:]
    var isStreaming = false
    var url = ""
    var arguments = CommandLine.arguments.dropFirst()
    while let argument = arguments.popFirst() {
      switch argument {
      case "--transfers", "--concurrency", "--bytes":
        numbers[argument] = arguments.popFirst().flatMap { Int($0) }
      case "--stream": isStreaming = true
      default: url = argument
      }
    }
    guard let transfers = numbers["--transfers"], let concurrency = numbers["--concurrency"],
      let byteCount = numbers["--bytes"]
    else { throw WrongAnswer(description: "--transfers, --concurrency and --bytes are needed") }

    var configuration = HTTPClient.Configuration()
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = concurrency
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    let counter = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<concurrency {
        group.addTask { [url, isStreaming] in
          while true {
            let number = counter.next()
            guard number < transfers else { return }
            let response = try await client.execute(
              HTTPClientRequest(url: "\(url)?\(number)"), timeout: .seconds(60))
            var received = 0
            if isStreaming {
              for try await chunk in response.body { received += chunk.readableBytes }
            } else {
              received = try await response.body.collect(upTo: 256 << 20).readableBytes
            }
            guard response.status == .ok, received == byteCount else {
              throw WrongAnswer(description: "\(url): status \(response.status), \(received) bytes")
            }
          }
        }
      }
      try await group.waitForAll()
    }
    try await client.shutdown()
  }
}

private struct WrongAnswer: Error, CustomStringConvertible {
  let description: String
}

/// Numbers the transfers, from 0.
private final class Counter: Sendable {
  private let value = Atomic(0)

  func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}
