/// The choice among the files of a search for a measured quality: of those that are good enough, the smallest; without any, the best.
struct TargetChoice<File> {
  private let target: QualityTarget
  private var chosen: (file: File, byteCount: Int, level: Double, isGood: Bool)?
  /// The share of the tolerance within which the search ends.
  private static var closeness: Double { 0.8 }
  /// A Boolean value that indicates whether a file was close enough to the wanted value to end the search.
  private(set) var isClose = false

  init(_ target: QualityTarget) { self.target = target }

  /// The chosen file; `nil` without any.
  var file: File? { chosen?.file }

  /// Adds a file with what was measured of it.
  mutating func add(_ file: File, byteCount: Int, measured: Double) {
    let level = target.measure.level(of: measured)
    let (wanted, tolerance) = (target.measure.value, target.tolerance)
    let isGood =
      switch target.measure {
      case .ssimulacra2: measured >= wanted - tolerance
      case .dssim: measured <= wanted + tolerance
      }
    if abs(measured - wanted) <= tolerance * Self.closeness { isClose = true }
    let isBetter =
      chosen.map { other in
        switch (isGood, other.isGood) {
        case (true, true): byteCount < other.byteCount
        case (false, false): level > other.level
        case (let mine, _): mine
        }
      } ?? true
    if isBetter { chosen = (file, byteCount, level, isGood) }
  }
}
