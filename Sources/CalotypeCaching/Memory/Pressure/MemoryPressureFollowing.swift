/// Releases memory under memory pressure.
public protocol MemoryPressureFollowing: Sendable {
  /// Follows a source of memory pressure until the task is cancelled or the source ends.
  func follow(_ source: any MemoryPressureProviding) async
}
