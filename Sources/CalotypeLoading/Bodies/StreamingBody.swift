import CalotypeSupport
package import FoundationEssentials

/// The bytes of a body while they arrive: one loads, others look at what is there.
///
/// These are the bytes that the load collects anyway: nothing is copied but what is asked for. What was seen once stays
/// as it was and where it was, also when a load has to connect again for the rest; after an error it ends where it broke off.
/// All may be called from any thread.
package final class StreamingBody: Sendable {
  fileprivate struct State {
    /// What has arrived, unless there are pages.
    var data = Data()
    /// What has arrived of a large body that comes in pieces.
    var pages: GrowableBuffer?
    var count = 0
    var isSpooled = false
  }

  private let state = Lock(State())

  /// Nothing yet.
  package init() {}

  /// How many bytes have arrived, whether in memory or not.
  package var count: Int { state.withLock { $0.count } }

  /// Whether they are too many for memory (``LoadRequest/memoryByteLimit``): they go to a file from now on, and none can
  /// be looked at before the end of the load.
  package var isSpooled: Bool { state.withLock { $0.isSpooled } }

  /// A copy of what has arrived from `offset` on: empty when there is nothing new, and once ``isSpooled``.
  ///
  /// A copy, because what others hold a part of would have to be copied as a whole to be added to.
  package func bytes(from offset: Int) -> Data {
    state.withLock { state in
      state.withUnsafeBytes { held in
        offset >= 0 && offset < held.count ? Data(held[offset...]) : Data()
      }
    }
  }

  // MARK: The load

  /// All of them, without a copy: for the end, when nothing is added any more.
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

  /// Hands over what is held, because there will be more than memory is for.
  func takeForSpooling() -> Data {
    state.withLock { state in
      state.isSpooled = true
      state.close()
      defer { state.data = Data() }
      return state.data
    }
  }

  /// Counts bytes that went to the file.
  func countSpooled(_ count: Int) {
    state.withLock { $0.count += count }
  }
}

extension StreamingBody.State {
  /// Declared lengths are not trusted with more memory.
  private static let mostReserved = 16 << 20

  /// - Parameter expected: Bytes that there are now, or will be if what is declared is true.
  fileprivate mutating func append(_ chunk: Data, expecting expected: Int) {
    // Most bodies come in one piece: no copy then.
    if data.isEmpty, pages == nil { return data = chunk }
    let isLarge = expected >= PageMemory.threshold
    if isLarge, pages == nil, let pages = GrowableBuffer(capacity: min(expected, Self.mostReserved)) {
      if data.withUnsafeBytes({ pages.append($0) }) { (self.pages, data) = (pages, Data()) }
    }
    if let pages {
      if chunk.withUnsafeBytes({ pages.append($0) }) { return }
      // No pages any more; malloc may have some memory left.
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

  /// Makes one piece of data of the pages, which go when it does. What is added later would be copied with all the rest.
  fileprivate mutating func close() {
    guard let pages else { return }
    self.pages = nil
    pages.shrinkToFit()
    data = Data(
      bytesNoCopy: pages.baseAddress, count: pages.count,
      deallocator: .custom { _, _ in withExtendedLifetime(pages) {} })
  }
}
