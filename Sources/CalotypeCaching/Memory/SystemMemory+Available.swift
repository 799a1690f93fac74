extension SystemMemory {
  /// Bytes that this process may use: what the machine has or its control groups allow, whichever is less.
  package static let available = available(controlGroups: .ofThisProcess)
}
