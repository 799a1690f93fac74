/// The records that are copied at a time: bounded in number and in bytes, but for one that is longer than all may be. Pure.
struct CopyWindow: Hashable, Sendable {
  let transfers: Int
  let byteLimit: Int
  private(set) var count = 0
  private(set) var bytes = 0

  init(transfers: Int, byteLimit: Int) {
    self.transfers = max(1, transfers)
    self.byteLimit = byteLimit
  }

  /// Whether there is room for a record of this length.
  func admits(_ length: Int) -> Bool {
    count == 0 || (count < transfers && bytes <= byteLimit - length)
  }

  /// A record begins.
  mutating func begin(_ length: Int) {
    count += 1
    bytes += length
  }

  /// A record has ended.
  mutating func end(_ length: Int) {
    count -= 1
    bytes -= length
  }
}
