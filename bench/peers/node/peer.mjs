// Node.js, by the contract in ../README.md:
//
//     node peer.mjs callback|promise|async WORKLOAD [key=value ...]

import { once, on } from 'node:events';
import fs from 'node:fs';
import http from 'node:http';
import { open } from 'node:fs/promises';
import net from 'node:net';
import tls from 'node:tls';
import readline from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';

const delay = (index) => 1 + Math.floor(index / 1000);
const path = (options, index) => `${options.directory}/file-${String(index % 64).padStart(2, '0')}`;

const echo = {
  callback(socket) {
    socket.on('data', (chunk) => {
      if (!socket.write(chunk)) {
        socket.pause();
        socket.once('drain', () => socket.resume());
      }
    });
  },
  async async(socket) {
    for await (const chunk of socket) {
      if (!socket.write(chunk)) await once(socket, 'drain');
    }
  },
};

// `tls-handshake`: a connection ends with its message.
function answer(size) {
  return (socket) => {
    let missing = size;
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      missing -= chunk.length;
      if (missing === 0) socket.end(chunk);
      else socket.write(chunk);
    });
  };
}

function hello(size) {
  const body = Buffer.alloc(size, 'Hello, world!');
  const fields = { 'content-type': 'text/plain', 'content-length': size };
  return (request, response) => response.writeHead(200, fields).end(body);
}

function serve(style, workload, options) {
  let handler = echo[style];
  if (workload === 'tls-handshake') handler = answer(options.size);
  const pem = options.identity && fs.readFileSync(options.identity);
  const server = workload === 'http-hello'
    ? http.createServer(hello(options.size))
    : pem
    ? tls.createServer({ noDelay: true, key: pem, cert: pem }, handler)
    : net.createServer({ noDelay: true }, handler);
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1024 }, () => console.log(server.address().port));
  process.stdin.on('end', () => process.exit(0)).resume();
}

// The other thread of `wakeup`: it posts a message and waits for the answer.
function ping() {
  parentPort.on('message', (count) => {
    for (let i = 0; i < count; i++) {
      parentPort.postMessage(i);
      Atomics.wait(workerData, 0, i);
    }
  });
}

let pinger;
function startPinger() {
  const answers = new Int32Array(new SharedArrayBuffer(4));
  pinger = { answers, worker: new Worker(new URL(import.meta.url), { workerData: answers }) };
}

function answerPing(number) {
  Atomics.store(pinger.answers, 0, number);
  Atomics.notify(pinger.answers, 0);
}

const keptOpen = new http.Agent({ keepAlive: true });

const callback = {
  'million-timers': (count) =>
    new Promise((done) => {
      let fired = 0;
      const fire = () => {
        if (++fired === count) done(fired);
      };
      for (let i = 0; i < count; i++) setTimeout(fire, delay(i));
    }),

  'fs-read': (count, options) =>
    new Promise((done, failed) => {
      let issued = 0;
      let ended = 0;
      let total = 0;
      const next = (buffer) => {
        if (issued === count) return;
        fs.open(path(options, issued++), 'r', (error, file) => {
          if (error) return failed(error);
          fs.fstat(file, (error, status) => {
            if (error) return failed(error);
            fs.read(file, buffer, 0, status.size, 0, (error, bytes) => {
              if (error) return failed(error);
              fs.close(file, (error) => {
                if (error) return failed(error);
                total += bytes;
                if (++ended === count) done(total);
                next(buffer);
              });
            });
          });
        });
      };
      for (let i = 0; i < options['in-flight']; i++) next(Buffer.alloc(options.size));
    }),

  'http-client': (count, options) =>
    new Promise((done, failed) => {
      let issued = 0;
      let ended = 0;
      const next = () => {
        if (issued === count) return;
        issued++;
        http.get({ host: '127.0.0.1', port: options.port, path: '/hello', agent: keptOpen }, (response) => {
          let size = 0;
          response.on('data', (chunk) => (size += chunk.length));
          response.on('end', () => {
            if (response.statusCode !== 200 || size !== options.size) return failed(new Error('wrong answer'));
            if (++ended === count) done(ended);
            next();
          });
        }).on('error', failed);
      };
      for (let i = 0; i < options['in-flight']; i++) next();
    }),

  wakeup: (count) =>
    new Promise((done) => {
      Atomics.store(pinger.answers, 0, 0);
      let answered = 0;
      const woken = (number) => {
        if (++answered === count) {
          pinger.worker.off('message', woken);
          done(answered);
        }
        answerPing(number + 1);
      };
      pinger.worker.on('message', woken);
      pinger.worker.postMessage(count);
    }),

  'then-chain': (count, options) =>
    new Promise((done) => {
      let issued = 0;
      let ended = 0;
      let total = 0;
      const next = () => {
        if (issued === count) return;
        const value = issued++;
        queueMicrotask(() => {
          const one = value + 1;
          queueMicrotask(() => {
            const two = one * 2;
            queueMicrotask(() => {
              total += two - 1;
              if (++ended === count) done(total);
              next();
            });
          });
        });
      };
      for (let i = 0; i < options['in-flight']; i++) next();
    }),
};

const promise = {
  'then-chain': (count, options) =>
    new Promise((done) => {
      let issued = 0;
      let ended = 0;
      let total = 0;
      const next = () => {
        if (issued === count) return;
        Promise.resolve(issued++)
          .then((value) => value + 1)
          .then((value) => value * 2)
          .then((value) => {
            total += value - 1;
            if (++ended === count) done(total);
            next();
          });
      };
      for (let i = 0; i < options['in-flight']; i++) next();
    }),
};

// So many functions at a time; each goes on until there is no more work.
const together = (count, work) => Promise.all(Array.from({ length: count }, work));

const async = {
  async 'million-timers'(count) {
    let fired = 0;
    await Promise.all(
      Array.from({ length: count }, async (_, i) => {
        await sleep(delay(i));
        fired++;
      }),
    );
    return fired;
  },

  async 'fs-read'(count, options) {
    let issued = 0;
    let total = 0;
    await together(options['in-flight'], async () => {
      const buffer = Buffer.alloc(options.size);
      while (issued < count) {
        const file = await open(path(options, issued++));
        const status = await file.stat();
        const { bytesRead } = await file.read(buffer, 0, status.size, 0);
        await file.close();
        total += bytesRead;
      }
    });
    return total;
  },

  async 'http-client'(count, options) {
    const url = `http://127.0.0.1:${options.port}/hello`;
    let issued = 0;
    let ended = 0;
    await together(options['in-flight'], async () => {
      while (issued < count) {
        issued++;
        const response = await fetch(url);
        const body = await response.arrayBuffer();
        if (response.status === 200 && body.byteLength === options.size) ended++;
      }
    });
    return ended;
  },

  async wakeup(count) {
    Atomics.store(pinger.answers, 0, 0);
    const messages = on(pinger.worker, 'message');
    pinger.worker.postMessage(count);
    let answered = 0;
    for await (const [number] of messages) {
      answered++;
      answerPing(number + 1);
      if (answered === count) break;
    }
    return answered;
  },

  async 'then-chain'(count, options) {
    const one = async (value) => value + 1;
    const two = async (value) => value * 2;
    const three = async (value) => value - 1;
    let issued = 0;
    let total = 0;
    await together(options['in-flight'], async () => {
      while (issued < count) {
        const found = await three(await two(await one(issued++)));
        total += found;
      }
    });
    return total;
  },

  async 'host-call'(count) {
    const answer = async (value) => value;
    let answered = 0;
    while (answered < count) answered += await answer(1);
    return answered;
  },
};

async function main() {
  const [style, workload, ...rest] = process.argv.slice(2);
  const options = Object.fromEntries(
    rest.map((word) => word.split('=')).map(([key, value]) => [key, /^\d+$/.test(value) ? +value : value]),
  );
  if (/^(tcp-|tls-|http-hello)/.test(workload)) return serve(style, workload, options);
  if (workload === 'wakeup') startPinger();
  const work = { callback, promise, async }[style][workload];
  for await (const line of readline.createInterface({ input: process.stdin })) {
    console.log(`${line} ${await work(+line, options)}`);
  }
  process.exit(0);
}

if (isMainThread) await main();
else ping();
