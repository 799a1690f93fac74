import CalotypeSupport

/// The free space of a file system since it was last measured.
///
/// Near the floor, the space is measured for each store, under the lock of the folder. Where there is plenty, a measurement
/// is good for a second, and for an eighth of the bytes above the floor: others write meanwhile, and are not seen.
struct SpaceEstimate: Sendable {
  /// How long a measurement is good.
  static let lifetime = Duration.seconds(1)
  private static let share = 8
  /// The bytes above the floor that are plenty.
  private static let plenty = 1 << 30

  private var measured: (space: FileSystemSpace, time: Duration)?
  /// Bytes that were stored since.
  private var used = 0

  /// Whether a file of `size` bytes certainly leaves the free space above the floor. Otherwise it must be measured.
  func isAmple(for size: Int, above floor: DiskCache.Configuration.FreeSpaceFloor, at time: Duration) -> Bool
  {
    guard let measured, time - measured.time < Self.lifetime else { return false }
    let spare = measured.space.available - floor.bytes(of: measured.space.total)
    return spare >= Self.plenty && used + size <= spare / Self.share
  }

  /// Notes a measurement.
  mutating func measure(_ space: FileSystemSpace, at time: Duration) {
    measured = (space, time)
    used = 0
  }

  /// Notes stored bytes.
  mutating func use(_ bytes: Int) { used += bytes }
}
