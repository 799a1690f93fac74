/// Wrong usage of `calotype-server url`, or settings that cannot be read.
struct URLUsageError: Error, Sendable {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}
