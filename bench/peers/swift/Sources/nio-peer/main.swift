// SwiftNIO, by the contract in ../../README.md: nio-peer MODE WORKLOAD [key=value ...]
//
// MODE is `handler` (callbacks), `future`, or `async` (tasks on Swift's pool), `async-executor` (a task
// executor on the event loop) and `async-takeover` (the event loop is Swift's pool). `uv-handler` and
// `uv-async` are UVNIO's loop, and its task executor.
import NIOCore
import NIOPosix
import PeerContract

let contract = Contract(wordsBefore: 1)
NIOSingletons.groupLoopCountSuggestion = 1
let mode = contract.words.first ?? "handler"
if mode == "async-takeover" {
  precondition(NIOSingletons.unsafeTryInstallSingletonPosixEventLoopGroupAsConcurrencyGlobalExecutor())
}
let loop = MultiThreadedEventLoopGroup.singleton.next()
let pool = NIOThreadPool(numberOfThreads: 4)
pool.start()

switch (mode, contract.workload) {
case ("uv-handler", _), ("uv-async", _):
  try OnLibuv.serve(contract, isAsync: mode == "uv-async")
case ("handler", "http-hello"):
  try Hello.serve(on: loop, contract)
case ("handler", "tcp-echo"), ("handler", "tls-echo"), ("handler", "tls-handshake"):
  try HandlerEcho.serve(on: loop, contract)
case ("client", _): try LineClient.run(on: loop, contract)
case ("handler", _): Contract.answerLines(Callbacks(contract, loop, pool).work)
case ("future", "then-chain"): Contract.answerLines { Futures(contract, loop).thenChain($0) }
case (_, "tcp-echo"), (_, "tls-echo"), (_, "tls-handshake"):
  try AsyncEcho.serve(contract, executor: mode == "async-executor" ? LoopTaskExecutor(loop) : nil) {
    prepare in
    try await HandlerEcho.bootstrap(loop).bind(host: "127.0.0.1", port: 0, childChannelInitializer: prepare)
  }
default:
  let executor = mode == "async-executor" ? LoopTaskExecutor(loop) : nil
  Contract.answerLines(Tasks(contract, loop, pool, executor).work)
}
