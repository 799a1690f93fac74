import ArgumentParser

/// A number of bytes with an optional unit: `500000`, `500K`, `1.5G`; decimal units.
struct ByteCount: ExpressibleByArgument {
  let value: Int

  init(_ value: Int) { self.value = value }

  /// The number with the largest unit that divides it, for help.
  var defaultValueDescription: String {
    for (unit, factor) in [("T", 1_000_000_000_000), ("G", 1_000_000_000), ("M", 1_000_000), ("K", 1_000)]
    where value >= factor && value.isMultiple(of: factor) { return "\(value / factor)\(unit)" }
    return "\(value)"
  }

  init?(argument: String) {
    let units: [Character: Double] = ["K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12]
    var digits = Substring(argument.uppercased())
    if digits.last == "B" { digits.removeLast() }
    var factor = 1.0
    if let last = digits.last, let unit = units[last] {
      factor = unit
      digits.removeLast()
    }
    guard digits.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(digits),
      number >= 0, let value = Int(exactly: (number * factor).rounded())
    else { return nil }
    self.value = value
  }
}
