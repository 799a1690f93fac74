extension Measurement {
  /// Runs two programs in turns, each from its start to its end, and compares the CPU time and the wall time of the
  /// same runs.
  ///
  /// - Parameters:
  ///   - name: What is measured; that of the wall time is called so too, with `, wall` after it.
  ///   - limitName: What it is compared with.
  ///   - rounds: Pairs of runs, at least one.
  ///   - subject: Runs the program to be measured.
  ///   - limit: Runs the one to compare with.
  public static func ratiosOfProcesses<Failure: Error>(
    _ name: String, to limitName: String, rounds: Int = 15, subject: () throws(Failure) -> ProcessTime,
    limit: () throws(Failure) -> ProcessTime
  ) throws(Failure) -> (cpu: Measurement, wall: Measurement) {
    let turns = try turns(rounds: rounds, subject: subject, limit: limit)
    return (
      cpu: Measurement(
        name: name, limitName: limitName, turns: turns.map { ($0.milliseconds, $1.milliseconds) }),
      wall: Measurement(
        name: "\(name), wall", limitName: limitName,
        turns: turns.map { ($0.wallMilliseconds, $1.wallMilliseconds) })
    )
  }
}
