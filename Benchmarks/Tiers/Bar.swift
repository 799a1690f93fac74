/// A bound on a figure, and whether it holds.
struct Bar {
  var name: String
  var value: Double
  var limit: Double

  var holds: Bool { value <= limit }
}
