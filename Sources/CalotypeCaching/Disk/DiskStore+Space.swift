import CalotypeSupport

/// The floor under the free space of the file system. Called within `withLock`.
extension DiskStore {
  /// The bytes of a block of most file systems, to which the length of a file is rounded up.
  private static var blockLength: Int { 4096 }

  /// The most evictions for one store. Others may use what becomes free, records that share a payload free nothing, and some
  /// file systems free blocks late: none of that must empty the cache, nor hold the lock for long.
  private static var attempts: Int { 3 }
  /// The most bytes to evict at a time, or four times those of the store.
  private static var step: Int { 64 << 20 }

  /// Evicts until a file of `size` bytes leaves the free space above the floor.
  ///
  /// - Throws: ``FileSystemError/belowFreeSpaceFloor(_:)``; nothing was evicted when all records together would not have
  ///   been enough.
  func keepSpaceFree(for size: Int) throws(FileSystemError) {
    let floor = configuration.freeSpaceFloor
    guard floor.bytes(of: .max) > 0, !space.isAmple(for: size, above: floor, at: timer.elapsed) else {
      return
    }
    guard var deficit = try deficit(for: size), deficit > 0 else { return }
    let most = index.read { $0.bytes + $0.count * Self.blockLength }
    guard most >= deficit else { throw .belowFreeSpaceFloor(layout.version) }
    var attempts = 0
    while deficit > 0 {
      let (bytes, count) = index.read { ($0.bytes, $0.count) }
      guard count > 0, attempts < Self.attempts else { throw .belowFreeSpaceFloor(layout.version) }
      let step = min(deficit, max(Self.step, 4 * size))
      try evict(toBytes: max(0, bytes - step), count: count)
      guard let rest = try self.deficit(for: size) else { return }
      attempts += 1
      deficit = rest
    }
  }

  /// Whether a file of `size` bytes would leave less free space than the floor.
  func isBelowFloor(afterStoring size: Int) throws(FileSystemError) -> Bool {
    let floor = configuration.freeSpaceFloor
    guard floor.bytes(of: .max) > 0, !space.isAmple(for: size, above: floor, at: timer.elapsed) else {
      return false
    }
    return try deficit(for: size).map { $0 > 0 } ?? false
  }

  /// Measures how much space is missing for a file of `size` bytes; 0 or less when it is enough, `nil` when the file
  /// system does not tell.
  private func deficit(for size: Int) throws(FileSystemError) -> Int? {
    guard let found = try files.space(at: layout.version) else { return nil }
    space.measure(found, at: timer.elapsed)
    let blocks = (size + Self.blockLength - 1) / Self.blockLength * Self.blockLength
    return configuration.freeSpaceFloor.bytes(of: found.total) - (found.available - blocks)
  }
}
