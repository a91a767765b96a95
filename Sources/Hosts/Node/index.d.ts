/** What `AbortController` cancels, as for Node's own functions. */
export interface Options {
  signal?: AbortSignal;
}

/** A server in Swift on Node's own event loop. */
export interface Server {
  /** The port that it listens at, on 127.0.0.1. */
  readonly port: number;
  /** Accepts no more connections. Those that are open go on. */
  close(): Promise<void>;
  /** The server alone no longer keeps the program running. */
  unref(): void;
}

/** The error of a Swift function that asks the system, as Node's own errors are. */
export interface SystemError extends Error {
  code: string;
  syscall: string;
  errno: number;
  path?: string;
}

/** The version of libuv that Node carries. */
export const libuvVersion: string;

/** The sum of two numbers, at once. */
export function add(a: number, b: number): number;

/** The same value, from a Swift task. What it costs is what a call to Swift and back costs. */
export function answer(value: number): Promise<number>;

/** Waits in a Swift task. Rejects with the signal's reason when that aborts. */
export function sleep(milliseconds: number, options?: Options): Promise<void>;

/** Reads a file. Rejects with a {@link SystemError}. */
export function readFile(path: string, options?: Options): Promise<Uint8Array>;

/** Counts, once in each period, as long as somebody asks: `for await (const number of ticks(100)) …`. */
export function ticks(milliseconds: number): AsyncIterableIterator<number>;

/** Calls `body` with 0, 1, …, once in each turn of the loop, and adds up what it returns. */
export function repeat(count: number, body: (index: number) => number, options?: Options): Promise<number>;

/** Sends back what its clients send. */
export function serveEcho(port?: number): Promise<Server>;

/** Speaks the Redis protocol: PING, ECHO, SET, GET, DEL, EXISTS, INCR, DBSIZE, QUIT. */
export function serveRedis(port?: number): Promise<Server>;
