/// Something that belongs to one request, and affects its bytes.
protocol LoadAttaching: Sendable {
  /// The name by which it is compared.
  var identity: String { get }
}
