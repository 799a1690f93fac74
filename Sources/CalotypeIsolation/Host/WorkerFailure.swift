import CSandbox
import Glibc

/// The reason why a worker gave no result.
enum WorkerFailure: Error {
  /// It ended by itself.
  case died(WorkerDeath)
  /// It had ended before it was asked.
  case gone(WorkerDeath)
  /// It did what it must not do.
  case violation(reason: String, call: Int?)
  /// The job took too long.
  case deadline
  /// The task was cancelled.
  case cancelled
  /// The result does not fit into the memory that a worker may have.
  case outOfMemory(byteCount: Int)
  /// The host cannot enlarge shared memory.
  case system(Int32)
}

extension WorkerFailure {
  /// A Boolean value that indicates whether the input is refused from now on.
  var blamesInput: Bool {
    switch self {
    case .died(.signal), .died(.forbiddenCall), .died(.exit), .violation: true
    case .died(.memory), .died(.processorTime), .died(.unknown), .gone, .deadline, .cancelled, .outOfMemory,
      .system:
      false
    }
  }

  /// A Boolean value that indicates whether another image of the same worker may be the cause.
  var mayBeInherited: Bool {
    switch self {
    case .died, .violation: true
    case .gone, .deadline, .cancelled, .outOfMemory, .system: false
    }
  }
}

/// The end of a worker.
enum WorkerDeath: Hashable {
  /// A fault: SEGV, ABRT, a trap of Swift.
  case signal(Int)
  /// It ended with a status of its own.
  case exit(Int)
  /// The system took it, for lack of memory.
  case memory
  /// It used all of its processor time.
  case processorTime
  /// The number of a forbidden call, if the kernel tells.
  case forbiddenCall
  /// Its end is not known: another part of the program has waited for it.
  case unknown

  init(_ end: csandbox_end) {
    switch end.signal {
    case 0: self = end.exit_status == WorkerExit.violation ? .forbiddenCall : .exit(Int(end.exit_status))
    case SIGKILL: self = .memory
    case SIGSYS: self = .forbiddenCall
    case SIGXCPU: self = .processorTime
    default: self = .signal(Int(end.signal))
    }
  }
}
