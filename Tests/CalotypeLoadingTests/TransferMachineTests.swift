import FoundationEssentials
import HTTPTypes
import Testing

@testable import CalotypeLoading

/// The state machine alone: waiters are numbers, and every answer is written down.
@Suite("Transfer state machine")
struct TransferMachineTests {
  typealias Machine = TransferMachine<Int, Int>
  private let url = URL(filePath: "/x")

  private var head: ResponseHead {
    ResponseHead(url: url, status: 200, headers: HTTPFields())
  }

  private func send(_ bytes: [UInt8], to machine: inout Machine) -> Machine.Receipt {
    bytes.withUnsafeBytes { machine.receive($0) }
  }

  private func text(_ answer: Machine.Answer) -> String {
    switch answer {
    case .none: "none"
    case .head(let waiter, .success): "head \(waiter)"
    case .head(let waiter, .failure(let error)): "head \(waiter) \(name(error))"
    case .chunk(let waiter, .success(let data)): "chunk \(waiter) \(data.map { Array($0) } ?? [])"
    case .chunk(let waiter, .failure(let error)): "chunk \(waiter) \(name(error))"
    }
  }

  private func name(_ error: any Error) -> String {
    (error as? LoadingError)?.code ?? (error is CancellationError ? "cancelled" : "\(error)")
  }

  private func reading() -> Machine {
    var machine = Machine(highWater: 4)
    _ = machine.awaitHead(1)
    machine.receive(head)
    _ = machine.deliver()
    return machine
  }

  @Test func oneTurnBringsHeadBytesAndEnd() throws {
    var machine = Machine(highWater: 4)
    #expect({ text(machine.awaitHead(1).answer) }() == "none")
    machine.receive(head)
    #expect(send([1, 2], to: &machine) == .accepted(buffered: 2))
    machine.finish(.success(()))
    #expect({ text(machine.deliver().answer) }() == "head 1")
    #expect({ text(machine.deliver().answer) }() == "none")
    let taken = try machine.takeNow()?.result.get()
    #expect(taken == Data([1, 2]))
    #expect({ text(machine.awaitChunk(2).answer) }() == "chunk 2 []")
  }

  @Test func consumerIsAnsweredOnce() {
    var machine = reading()
    #expect({ text(machine.awaitChunk(2).answer) }() == "none")
    _ = send([7], to: &machine)
    #expect({ text(machine.deliver().answer) }() == "chunk 2 [7]")
    #expect({ text(machine.deliver().answer) }() == "none")
    #expect({ text(machine.leave().answer) }() == "none")
  }

  @Test func secondWaiterIsRefused() {
    var machine = reading()
    _ = machine.awaitChunk(2)
    #expect({ text(machine.awaitChunk(3).answer) }() == "chunk 3 bodyAlreadyConsumed")
    machine.finish(.success(()))
    #expect({ text(machine.deliver().answer) }() == "chunk 2 []")
  }

  @Test func pauseAndResume() {
    var machine = reading()
    #expect(send([1, 2, 3], to: &machine) == .accepted(buffered: 3))
    #expect(send([4, 5], to: &machine) == .pause)
    let taken = machine.takeNow()
    #expect(taken?.resumeProducer == true)
    #expect(send([4, 5], to: &machine) == .accepted(buffered: 2))
    let rest = machine.takeNow()
    #expect(rest?.resumeProducer == false)
    let nothing = machine.takeNow()
    #expect(nothing == nil)
  }

  @Test func pausedBehindAWaitingConsumer() {
    var machine = reading()
    _ = machine.awaitChunk(2)
    _ = send([1, 2, 3, 4], to: &machine)
    #expect(send([5], to: &machine) == .pause)
    let action = machine.deliver()
    #expect(text(action.answer) == "chunk 2 [1, 2, 3, 4]")
    #expect(action.resumeProducer)
  }

  @Test func writesLargerThanTheMarkPass() {
    var machine = reading()
    #expect(send(Array(repeating: 1, count: 100), to: &machine) == .accepted(buffered: 100))
    #expect(send([1], to: &machine) == .pause)
  }

  @Test func bytesComeBeforeTheError() {
    var machine = reading()
    _ = send([1], to: &machine)
    machine.finish(.failure(.truncatedBody(url, received: 1, expected: 2)))
    #expect({ text(machine.awaitChunk(2).answer) }() == "chunk 2 [1]")
    #expect({ text(machine.awaitChunk(3).answer) }() == "chunk 3 truncatedBody")
  }

  @Test func errorInsteadOfHead() {
    var machine = Machine(highWater: 4)
    _ = machine.awaitHead(1)
    machine.finish(.failure(.loaderClosed(url)))
    machine.receive(head)
    machine.finish(.success(()))
    #expect({ text(machine.deliver().answer) }() == "head 1 loaderClosed")
    #expect(machine.isGone)
    #expect({ text(machine.leave().answer) }() == "none")
    #expect({ !machine.leave().stopProducer }())
  }

  @Test func leavingBeforeTheStart() {
    var machine = Machine(highWater: 4)
    let action = machine.leave()
    #expect(text(action.answer) == "none")
    #expect({ text(machine.awaitHead(1).answer) }() == "head 1 cancelled")
    #expect(send([1], to: &machine) == .abort)
  }

  @Test func leavingWhileWaiting() {
    var machine = Machine(highWater: 4)
    _ = machine.awaitHead(1)
    let first = machine.leave()
    #expect(text(first.answer) == "head 1 cancelled")
    #expect(first.stopProducer)
    let again = machine.leave()
    #expect(text(again.answer) == "none")
    #expect(!again.stopProducer)
    machine.receive(head)
    machine.finish(.success(()))
    #expect({ text(machine.deliver().answer) }() == "none")
    #expect({ text(machine.awaitChunk(2).answer) }() == "chunk 2 cancelled")
  }

  @Test func leavingAfterTheEndStopsNothing() {
    var machine = reading()
    machine.finish(.success(()))
    #expect({ !machine.leave().stopProducer }())
  }

  /// Every order of events up to six long: no waiter is answered twice, and at the end none is left.
  @Test func noOrderOfEventsLosesAWaiter() {
    func explore(_ machine: Machine, _ waiting: Set<Int>, _ next: Int, _ depth: Int) -> Int {
      var count = 0
      for event in 0..<7 {
        var machine = machine
        var waiting = waiting
        var next = next
        var actions: [Machine.ConsumerAction] = []
        switch event {
        case 0:
          guard next == 0 else { continue }
          waiting.insert(next)
          actions.append(machine.awaitHead(next))
          next += 1
        case 1:
          guard next > 0 else { continue }
          waiting.insert(next)
          actions.append(machine.awaitChunk(next))
          next += 1
        case 2: actions.append(machine.leave())
        case 3: machine.receive(head)
        case 4: _ = send([1, 2, 3], to: &machine)
        case 5: machine.finish(.success(()))
        default: actions.append(machine.deliver())
        }
        func check(_ actions: [Machine.ConsumerAction]) {
          for action in actions {
            switch action.answer {
            case .none: break
            case .head(let waiter, _), .chunk(let waiter, _): #expect(waiting.remove(waiter) != nil)
            }
          }
        }
        check(actions)
        if depth > 1 { count += explore(machine, waiting, next, depth - 1) }
        // However it goes on, leaving answers whoever still waits.
        let last = machine.leave()
        check([last])
        #expect(waiting.isEmpty)
        count += 1
      }
      return count
    }
    #expect(explore(Machine(highWater: 4), [], 0, 6) > 10_000)
  }
}
