/// The present of all vectors: the beginning of 2026.
enum VectorTime {
  /// 2026-01-01T00:00:00Z in seconds since 1970.
  static let now: Int64 = 1_767_225_600
  /// 2030-01-01T00:00:00Z.
  static let year2030: Int64 = 1_893_456_000
  /// 2020-01-01T00:00:00Z.
  static let year2020 = 1_577_836_800

  /// The field of the beginning of 2030.
  static let field2030 = "Tue, 01 Jan 2030 00:00:00 GMT"
  /// An hour before, and after, the beginning of 2020, and that moment itself.
  static let before2020 = "Tue, 31 Dec 2019 23:00:00 GMT"
  static let after2020 = "Wed, 01 Jan 2020 01:00:00 GMT"
  static let field2020 = "Wed, 01 Jan 2020 00:00:00 GMT"

  /// The field of a moment some hours from now, at most 23.
  static func field(inHours hours: Int) -> String {
    "Thu, 01 Jan 2026 \(hours < 10 ? "0" : "")\(hours):00:00 GMT"
  }
}
