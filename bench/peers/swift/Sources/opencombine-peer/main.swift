// OpenCombine, by the contract in ../../README.md: opencombine-peer then-chain [key=value ...]
import OpenCombine
import PeerContract

let contract = Contract(wordsBefore: 0)
guard contract.workload == "then-chain" else { fatalError("there is then-chain only") }

Contract.answerLines { count in
  var total = 0
  let subscription = (0..<count).publisher
    .flatMap(maxPublishers: .max(contract.inFlight)) { index in
      Future<Int, Never> { promise in promise(.success(index)) }
        .map { $0 &+ 1 }
        .map { $0 &* 2 }
        .map { $0 &- 1 }
    }
    .sink { total &+= $0 }
  withExtendedLifetime(subscription) {}
  return total
}
