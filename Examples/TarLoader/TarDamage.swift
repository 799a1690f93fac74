/// The faults of an archive, for the `reason` of an error.
struct TarDamage: Error, Equatable {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
