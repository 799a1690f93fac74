import Glibc
import Testing

/// Expects a value of a call that changes something, which `#expect` cannot contain.
func check<Value: Equatable>(
  _ value: Value, is expected: Value, _ comment: Comment? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(value == expected, comment, sourceLocation: sourceLocation)
}

/// Runs a command of the shell. Returns its status.
func shell(_ command: String) -> Int32 { system(command) }
