/// How much a folder holds, as far as one process knows: the last scan and what the process did since.
///
/// Other processes are not seen until the next scan, which is due when this one has written a tenth of the limit.
struct DiskUsage: Sendable {
  private(set) var isKnown = false
  private(set) var bytes = 0
  private(set) var count = 0
  /// Written since the last scan began, whose listing may or may not have seen it.
  private var written = (bytes: 0, count: 0)

  mutating func noteStore(size: Int, replacing replaced: Int?) {
    bytes += size - (replaced ?? 0)
    written.bytes += size
    if replaced == nil {
      count += 1
      written.count += 1
    }
    clamp()
  }

  mutating func noteRemoval(of size: Int) {
    bytes -= size
    count -= 1
    clamp()
  }

  mutating func scanBegins() {
    written = (0, 0)
  }

  /// Takes the result of a scan over. What was written meanwhile may be counted twice: too early a trim is
  /// harmless, too late a one is not.
  mutating func scanEnded(bytes: Int, count: Int) {
    self.bytes = bytes + written.bytes
    self.count = count + written.count
    isKnown = true
  }

  func isOver(_ configuration: DiskCache.Configuration) -> Bool {
    bytes > configuration.byteLimit || count > configuration.countLimit
  }

  func isStale(_ configuration: DiskCache.Configuration) -> Bool {
    written.bytes > configuration.byteLimit / 10 || written.count > configuration.countLimit / 10
  }

  /// Other processes remove what we counted, and we may remove what we never did.
  private mutating func clamp() {
    bytes = max(0, bytes)
    count = max(0, count)
  }
}
