import CalotypeLoading
import FoundationEssentials
import Synchronization

/// What the child of a loading benchmark does: many transfers of one URL, some at a time.
///
/// `--transfers N --concurrency K --bytes B [--stream | --to FOLDER] [--ca FILE] URL`: N times the URL with a number as
/// its query, K at a time. Each body is taken whole, or chunk by chunk and dropped, or goes to a file named by the
/// number. Fails if a body has not B bytes.
struct TransferRun {
  /// Where bodies go.
  enum Sink {
    case memory
    case nowhere
    case folder(String)
  }

  /// Why a run is of no use.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private var transfers = 1
  private var concurrency = 1
  private var byteCount = 0
  private var sink = Sink.memory
  private var caFile: String?
  private var address = ""

  /// Reads what follows the name of the program.
  init(_ arguments: ArraySlice<String>) throws(Failure) {
    var arguments = arguments
    while let argument = arguments.popFirst() {
      if argument == "--stream" {
        sink = .nowhere
        continue
      }
      guard argument.hasPrefix("--") else {
        address = argument
        continue
      }
      guard let value = arguments.popFirst() else { throw Failure(description: "\(argument) needs a value") }
      switch (argument, Int(value)) {
      case ("--transfers", let number?): transfers = number
      case ("--concurrency", let number?): concurrency = number
      case ("--bytes", let number?): byteCount = number
      case ("--to", _): sink = .folder(value)
      case ("--ca", _): caFile = value
      default: throw Failure(description: "\(argument) \(value)")
      }
    }
  }

  /// Carries all transfers out.
  ///
  /// - Throws: ``Failure``, and what the loader throws.
  func run() async throws {
    var configuration = CurlLoader.Configuration(
      maxConcurrent: concurrency, maxConcurrentPerHost: concurrency)
    configuration.tls.caFile = caFile
    let loader = CurlLoader(configuration)
    let counter = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<concurrency {
        group.addTask {
          while true {
            let number = counter.next()
            guard number < transfers else { return }
            try await transfer(number, with: loader)
          }
        }
      }
      try await group.waitForAll()
    }
  }

  private func transfer(_ number: Int, with loader: CurlLoader) async throws {
    guard let url = URL(string: "\(address)?\(number)") else { throw Failure(description: address) }
    let request = LoadRequest(url: url)
    var received = 0
    switch sink {
    case .memory: received = try await loader.data(for: request).0.count
    case .nowhere: for try await chunk in try await loader.load(request).body { received += chunk.count }
    case .folder(let folder):
      let file = URL(filePath: "\(folder)/\(number)")
      try await loader.download(request, to: file) { received = $0.received }
    }
    guard received == byteCount else { throw Failure(description: "\(url): \(received) bytes") }
  }
}

/// Numbers the transfers, from 0.
private final class Counter: Sendable {
  private let value = Atomic(0)

  func next() -> Int { value.add(1, ordering: .relaxed).oldValue }
}
