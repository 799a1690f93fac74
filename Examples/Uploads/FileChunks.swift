import Dispatch
import FoundationEssentials
import Glibc

/// A file or standard input in parts, in place of the body of a request.
struct FileChunks: AsyncSequence, Sendable {
  let descriptor: Int32
  var chunkSize = 16 << 10

  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(descriptor: descriptor, chunkSize: chunkSize) }

  struct AsyncIterator: AsyncIteratorProtocol {
    let descriptor: Int32
    let chunkSize: Int
    /// Reads may wait, which tasks must not do on the threads that they share.
    private let queue = DispatchQueue(label: "reads")

    init(descriptor: Int32, chunkSize: Int) {
      (self.descriptor, self.chunkSize) = (descriptor, chunkSize)
    }

    mutating func next() async throws -> Data? {
      try await withCheckedThrowingContinuation { [descriptor, chunkSize] continuation in
        queue.async {
          var chunk = Data(count: chunkSize)
          let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
          if count < 0 {
            continuation.resume(throwing: ReadError(code: errno))
          } else {
            continuation.resume(returning: count == 0 ? nil : Data(chunk.prefix(count)))
          }
        }
      }
    }
  }

  /// The read failed.
  struct ReadError: Error {
    let code: Int32
  }
}
