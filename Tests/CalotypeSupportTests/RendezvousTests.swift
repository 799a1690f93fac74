import CalotypeSupport
import Testing

@Suite("Waits for values")
struct RendezvousTests {
  @Test("values arrive in order, whether sent before or during the wait")
  func valuesArriveInOrder() async {
    let values = Rendezvous<Int>()
    let turns = Rendezvous<Void>()
    let producer = Task {
      for number in 0..<1_000 {
        values.send(number)
        await turns.receive()
      }
    }
    for number in 0..<1_000 {
      let value = await values.receive()
      #expect(value == number)
      turns.send(())
    }
    await producer.value
  }

  @Test("a value that was sent before is received without suspension")
  func valueBeforeTheWait() async {
    let values = Rendezvous<String?>()
    values.send(nil)
    #expect(await values.receive() == nil)
    values.send("b")
    #expect(await values.receive() == "b")
  }

  @Test("cancellation does not end a wait at a rendezvous, and ends one at a waiter that asks for it")
  func cancellation() async {
    let values = Rendezvous<Int>()
    let waiter = Waiter<Int>()
    let task = Task { (await waiter.value(onCancel: -1), await values.receive()) }
    task.cancel()
    values.send(7)
    let (cancelled, received) = await task.value
    #expect(cancelled == -1 && received == 7)
    #expect(!waiter.resolve(1) && waiter.isResolved)
  }
}
