/// A fault of an archive behind which no entry can be found.
struct TarDamage: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
