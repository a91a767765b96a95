'use strict';
// Servers in Swift on Node's own loop, used by Node's `net` and by redis-cli, beside timers of JavaScript.
const assert = require('node:assert/strict');
const { execFile } = require('node:child_process');
const events = require('node:events');
const net = require('node:net');
const { tests } = require('./support.js');
const addon = require('..');

const once = async (emitter, event) => (await events.once(emitter, event))[0];

/** Sends `requests` messages to an echo server, each when the one before has come back. */
async function talk(port, requests) {
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  for (let i = 0; i < requests; i++) {
    const message = `message ${i}`;
    socket.write(message);
    let answer = '';
    while (answer.length < message.length) answer += await once(socket, 'data');
    assert.equal(answer, message);
  }
  socket.end();
  await once(socket, 'close');
}

const run = (program, ...all) => new Promise((resolve, reject) => {
  execFile(program, all, (error, stdout) => (error ? reject(error) : resolve(stdout)));
});

tests({
  async 'an echo server in Swift serves clients in JavaScript, and timers keep their time'() {
    const server = await addon.serveEcho();
    let ticks = 0;
    let swift = 0;
    const timer = setInterval(() => { ticks++; }, 1);
    const counting = (async () => {
      for await (const _ of addon.ticks(1)) {
        swift++;
        if (!timer.hasRef()) break;
      }
    })();
    const start = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => talk(server.port, 200)));
    const time = performance.now() - start;
    timer.unref();
    clearInterval(timer);
    await counting;
    console.log(`  ${Math.round(4000 / time * 1000)} requests a second; ${ticks} and ${swift} ticks in ${Math.round(time)} ms`);
    // None starves the others: 200 round trips of 20 clients take 200 turns at least.
    assert(ticks > 20 && swift > 20);
    await server.close();
  },

  async 'a large message comes back whole'() {
    const server = await addon.serveEcho();
    const socket = net.connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const message = Buffer.alloc(8 << 20, 'abcdefg');
    let length = 0;
    socket.end(message);
    for await (const chunk of socket) {
      assert.equal(Buffer.compare(chunk, message.subarray(length, length + chunk.length)), 0);
      length += chunk.length;
    }
    assert.equal(length, message.length);
    await server.close();
  },

  async 'an address in use is an error of the system'() {
    const server = await addon.serveEcho();
    await assert.rejects(addon.serveEcho(server.port), { code: 'EADDRINUSE' });
    await server.close();
  },

  async 'redis-cli speaks to a server in Swift inside Node'() {
    const server = await addon.serveRedis();
    const cli = async (...all) => (await run('redis-cli', '-p', `${server.port}`, ...all)).trim();
    try { await run('redis-cli', '--version'); } catch {
      console.log('  skipped: there is no redis-cli');
      await server.close();
      return;
    }
    assert.equal(await cli('ping'), 'PONG');
    assert.equal(await cli('set', 'key', 'some value'), 'OK');
    assert.equal(await cli('get', 'key'), 'some value');
    assert.equal(await cli('get', 'other'), '');
    assert.equal(await cli('incr', 'counter'), '1');
    assert.equal(await cli('incr', 'counter'), '2');
    assert.equal(await cli('del', 'key', 'counter', 'none'), '2');
    assert.match(await cli('nonsense'), /unknown command/);
    const benchmark = await run(
      'redis-benchmark', '-p', `${server.port}`, '-t', 'set,get', '-n', '20000', '-P', '16', '-q');
    const rates = benchmark.match(/[\d.]+ requests per second/g);
    console.log(`  redis-benchmark -P 16: ${rates.join(', ')}`);
    assert(rates.length >= 2);
    await server.close();
  },
});
