import CalotypeSupport
package import FoundationEssentials

/// The bytes of a body as they arrive: one load appends, others read.
///
/// It shares the bytes that the load collects anyway; only reads copy. Bytes never change once they are visible, even
/// when a load resumes over another connection; after an error the body ends where it broke off. All members may be
/// called from any thread.
package final class StreamingBody: Sendable {
  fileprivate struct State {
    /// The bytes, unless they are in pages.
    var data = Data()
    /// The bytes of a large body that arrives in pieces.
    var pages: GrowableBuffer?
    var count = 0
    var isSpooled = false
  }

  private let state = Lock(State())

  /// Creates an empty body.
  package init() {}

  /// The number of bytes that have arrived, in memory or on disk.
  package var count: Int { state.withLock { $0.count } }

  /// Whether the body exceeds ``LoadRequest/memoryByteLimit`` and goes to a file. Its bytes cannot be read before the
  /// end of the load.
  package var isSpooled: Bool { state.withLock { $0.isSpooled } }

  /// Returns a copy of the bytes from `offset` on; empty when there are no new ones, and when ``isSpooled``.
  ///
  /// A slice would force the next append to copy the whole buffer.
  package func bytes(from offset: Int) -> Data {
    state.withLock { state in
      state.withUnsafeBytes { held in
        offset >= 0 && offset < held.count ? Data(held[offset...]) : Data()
      }
    }
  }

  // MARK: The load

  /// Returns all bytes without copying them, at the end of the load.
  var all: Data {
    state.withLock { state in
      state.close()
      return state.data
    }
  }

  /// Adds a chunk of a body whose declared length is `expected`.
  func append(_ chunk: Data, expecting expected: Int?) {
    state.withLock { state in
      state.count += chunk.count
      state.append(chunk, expecting: max(expected ?? 0, state.count))
    }
  }

  /// Hands over the collected bytes, because the body is too large for memory.
  func takeForSpooling() -> Data {
    state.withLock { state in
      state.isSpooled = true
      state.close()
      defer { state.data = Data() }
      return state.data
    }
  }

  /// Counts bytes that were written to the file.
  func countSpooled(_ count: Int) {
    state.withLock { $0.count += count }
  }
}

extension StreamingBody.State {
  /// The most memory that is reserved for a declared length.
  private static let mostReserved = 16 << 20

  /// - Parameter expected: The present or the declared length, whichever is greater.
  fileprivate mutating func append(_ chunk: Data, expecting expected: Int) {
    // Most bodies arrive in one piece, which is not copied.
    if data.isEmpty, pages == nil { return data = chunk }
    let isLarge = expected >= PageMemory.threshold
    if isLarge, pages == nil, let pages = GrowableBuffer(capacity: min(expected, Self.mostReserved)) {
      if data.withUnsafeBytes({ pages.append($0) }) { (self.pages, data) = (pages, Data()) }
    }
    if let pages {
      if chunk.withUnsafeBytes({ pages.append($0) }) { return }
      // No pages left; malloc may still have memory.
      close()
    } else if expected > data.count + chunk.count {
      data.reserveCapacity(min(expected, Self.mostReserved))
    }
    data.append(chunk)
  }

  fileprivate func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard let pages else { return data.withUnsafeBytes(body) }
    return body(pages.bytes)
  }

  /// Wraps the pages in one `Data`, which releases them. A later append would copy everything.
  fileprivate mutating func close() {
    guard let pages else { return }
    self.pages = nil
    pages.shrinkToFit()
    data = Data(
      bytesNoCopy: pages.baseAddress, count: pages.count,
      deallocator: .custom { _, _ in withExtendedLifetime(pages) {} })
  }
}
