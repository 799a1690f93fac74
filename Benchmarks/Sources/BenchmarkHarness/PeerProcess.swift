import FoundationEssentials

/// Peers that live in another process, which measures its own CPU time.
///
/// Requests and answers are lines of JSON; `Benchmarks/Peers/worker.py` says which.
public final class PeerProcess {
  private let process: ChildProcess

  /// Starts the process that runs peers.
  ///
  /// - Throws: ``ChildProcessError``.
  public init(_ path: String, arguments: [String]) throws {
    process = try ChildProcess(path, arguments: arguments)
  }

  /// What a peer did.
  public struct Run: Hashable, Sendable {
    /// CPU time of one loop, all threads of the process.
    public let milliseconds: Double
    /// Pixels decoded, frames composited or bytes written.
    public let result: Int
  }

  /// Runs an operation on a file. The first time, the file is read and the operation warmed up before it is measured.
  ///
  /// - Throws: ``Skipped`` when what the peer needs is not installed, ``ChildProcessError``.
  public func run(_ operation: String, on file: String, loops: Int = 1) throws -> Run {
    let answer = try ask(Request(operation: operation, file: file, loops: loops))
    guard let seconds = answer.seconds, let result = answer.result else {
      throw ChildProcessError(description: "\(operation) was answered without a time")
    }
    return Run(milliseconds: seconds * 1000, result: result)
  }

  /// Makes one of the files that peers are measured on.
  ///
  /// - Throws: as ``run(_:on:loops:)``.
  public func make(_ file: String, photos: String) throws {
    _ = try ask(Request(operation: "make", file: file, photos: photos))
  }

  private func ask(_ request: Request) throws -> Answer {
    try process.write(String(decoding: JSONEncoder().encode(request), as: UTF8.self))
    let answer = try JSONDecoder().decode(Answer.self, from: Data(process.read().utf8))
    guard let error = answer.error else { return answer }
    if answer.isMissing == true { throw Skipped(reason: error) }
    throw ChildProcessError(description: "\(request.operation) of \(request.file): \(error)")
  }

  private struct Request: Encodable {
    var operation: String
    var file: String
    var loops: Int?
    var photos: String?
  }

  private struct Answer: Decodable {
    var seconds: Double?
    var result: Int?
    var error: String?
    var isMissing: Bool?
  }
}
