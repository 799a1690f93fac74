import CalotypeSupport

/// The limits, and the floor under the free space of the file system. Called within `withLock`.
extension DiskStore {
  /// The bytes of a block of most file systems, to which the length of a file is rounded up.
  private static var blockLength: Int { 4096 }

  /// The most evictions for one store. Others may use what becomes free, records that share a payload free nothing, and some
  /// file systems free blocks late: none of that must empty the cache, nor hold the lock for long.
  static var attempts: Int { 3 }
  /// The most bytes to evict at a time, or four times those of the store.
  private static var step: Int { 64 << 20 }

  /// Evicts until a file of `size` bytes leaves the free space above the floor.
  ///
  /// - Throws: ``FileSystemError/belowFreeSpaceFloor(_:)``; nothing was evicted when all records together would not have
  ///   been enough.
  func keepSpaceFree(for size: Int) throws(FileSystemError) {
    var deficit = try deficit(for: size)
    guard deficit > 0 else { return }
    let most = index.read { $0.bytes + $0.count * Self.blockLength }
    guard most >= deficit else { throw .belowFreeSpaceFloor(layout.version) }
    var attempts = 0
    while deficit > 0 {
      let (bytes, count) = index.read { ($0.bytes, $0.count) }
      guard count > 0, attempts < Self.attempts else { throw .belowFreeSpaceFloor(layout.version) }
      let step = min(deficit, max(Self.step, 4 * size))
      try evict(toBytes: max(0, bytes - step), count: count)
      attempts += 1
      deficit = try self.deficit(for: size)
    }
  }

  /// Returns whether a record of `size` bytes is within the limits, without evicting others.
  func hasRoom(for size: Int, isNew: Bool) -> Bool {
    let (bytes, count) = index.read { ($0.bytes, $0.count) }
    // The old record and the new one exist side by side for a moment.
    return size <= configuration.effectiveRecordLimit && bytes + size <= configuration.byteLimit
      && count + (isNew ? 1 : 0) <= configuration.countLimit
  }

  /// Whether a file of `size` bytes would leave less free space than the floor.
  func isBelowFloor(afterStoring size: Int) throws(FileSystemError) -> Bool {
    try deficit(for: size) > 0
  }

  /// Returns the space that is missing for a file of `size` bytes, and 0 or less when there is enough; 0 when the file system
  /// does not tell.
  private func deficit(for size: Int) throws(FileSystemError) -> Int {
    let floor = configuration.freeSpaceFloor
    guard floor.bytes(of: .max) > 0, !space.isAmple(for: size, above: floor, at: timer.elapsed),
      let found = try files.space(at: layout.version)
    else { return 0 }
    space.measure(found, at: timer.elapsed)
    let blocks = (size + Self.blockLength - 1) / Self.blockLength * Self.blockLength
    return floor.bytes(of: found.total) - (found.available - blocks)
  }
}
