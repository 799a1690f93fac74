extension ProcessingOptions {
  /// The same options without those that say the default, and without stages that change nothing.
  ///
  /// Options that differ only in spelling are equal then, as the identity of a result needs it. Options whose default is up to the
  /// server remain.
  public func normalized() -> ProcessingOptions {
    var options = self
    for row in OptionTable.whole { row.normalize(&options) }
    for index in options.stages.indices {
      for row in OptionTable.stage { row.normalize(&options.stages[index]) }
    }
    options.stages.removeAll { $0 == ProcessingStage() }
    if options.stages.isEmpty { options.stages = [ProcessingStage()] }
    return options
  }
}
