'use strict';
// Values, errors and promises.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { tests, rejection } = require('./support.js');
const addon = require('..');

tests({
  'the loop is of the libuv that Node carries'() {
    assert.equal(addon.libuvVersion, process.versions.uv);
  },

  'a function returns at once'() {
    assert.equal(addon.add(1, 2.5), 3.5);
  },

  'an argument of another type is a TypeError that says which'() {
    assert.throws(() => addon.add(1, '2'), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE', message: /argument 2/ });
    assert.throws(() => addon.add(1), { code: 'ERR_INVALID_ARG_TYPE' });
    // Of an asynchronous function too, as of Node's own.
    assert.throws(() => addon.sleep('soon'), { code: 'ERR_INVALID_ARG_TYPE', message: /integer/ });
    assert.throws(() => addon.sleep(1.5), { code: 'ERR_INVALID_ARG_TYPE' });
    assert.throws(() => addon.sleep(2 ** 60), { code: 'ERR_INVALID_ARG_TYPE' });
  },

  async 'a Swift task is awaited'() {
    assert.equal(await addon.sleep(1), undefined);
    // Many at once end in the order of their times.
    const order = [];
    await Promise.all([3, 1, 2].map((n) => addon.sleep(n * 20).then(() => order.push(n))));
    assert.deepEqual(order, [1, 2, 3]);
  },

  async 'promises and nextTick have their turn after each answer'() {
    const order = [];
    await addon.sleep(1).then(() => {
      process.nextTick(() => order.push('tick'));
      Promise.resolve().then(() => order.push('promise'));
    });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(order.sort(), ['promise', 'tick']);
  },

  async 'an error of the system is as one of Node'() {
    const ours = await rejection(addon.readFile('/nowhere/at all'));
    const theirs = await rejection(fs.promises.readFile('/nowhere/at all'));
    assert(ours instanceof Error);
    for (const key of ['code', 'errno', 'path']) assert.equal(ours[key], theirs[key], key);
    // Swift reads the whole file in one job.
    assert.equal(ours.syscall, 'read_file');
    assert.equal(ours.message, theirs.message.replace(', open ', ', read_file '));
  },

  async 'bytes come without a copy, and live as long as JavaScript has them'() {
    const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'swift-uv-')), 'file');
    for (const size of [0, 1, 1023, 1024, 1 << 20]) {
      const bytes = Buffer.alloc(size, 'abc');
      fs.writeFileSync(file, bytes);
      const read = await addon.readFile(file);
      assert(read instanceof Uint8Array);
      global.gc();
      assert.equal(Buffer.compare(read, bytes), 0);
      // JavaScript may write to them, and send them to another thread.
      if (size > 0) read[0] = 1;
      const sent = structuredClone(read, size < 1024 ? { transfer: [read.buffer] } : undefined);
      assert.equal(sent.length, size);
    }
    fs.rmSync(path.dirname(file), { recursive: true });
  },

  async 'an AbortSignal cancels the task'() {
    const controller = new AbortController();
    const sleeping = addon.sleep(1e9, { signal: controller.signal });
    setTimeout(() => controller.abort(), 5);
    const error = await rejection(sleeping);
    assert.equal(error, controller.signal.reason);
    assert.equal(error.name, 'AbortError');
  },

  async 'a signal that is aborted already lets nothing begin, and its reason is the error'() {
    const reason = { any: 'value' };
    assert.equal(await rejection(addon.sleep(1e9, { signal: AbortSignal.abort(reason) })), reason);
    // A value that isn't an object, too.
    assert.equal(await rejection(addon.sleep(1e9, { signal: AbortSignal.abort('why') })), 'why');
    assert.throws(() => addon.sleep(1, { signal: {} }), { code: 'ERR_INVALID_ARG_TYPE' });
  },

  async 'a signal that outlives many calls keeps none of them'() {
    const { signal } = new AbortController();
    let listeners = 0;
    const { addEventListener, removeEventListener } = signal;
    signal.addEventListener = function (...all) { listeners++; return addEventListener.apply(this, all); };
    signal.removeEventListener = function (...all) { listeners--; return removeEventListener.apply(this, all); };
    for (let i = 0; i < 20; i++) await addon.sleep(0, { signal });
    assert.equal(listeners, 0);
  },

  async 'Swift calls a function of JavaScript'() {
    assert.equal(await addon.repeat(5, (n) => n * n), 30);
  },

  async 'what JavaScript throws goes through Swift and back as the same value'() {
    const reason = new RangeError('enough');
    const error = await rejection(addon.repeat(5, (n) => { if (n === 3) throw reason; return 0; }));
    assert.equal(error, reason);
    assert.equal(await rejection(addon.repeat(1, () => { throw 'text'; })), 'text');
    const wrong = await rejection(addon.repeat(1, () => 'text'));
    assert.equal(wrong.code, 'ERR_INVALID_ARG_TYPE');
  },

  async 'a source is iterated, and makes no more than is asked for'() {
    const seen = [];
    for await (const number of addon.ticks(1)) {
      seen.push(number);
      if (seen.length === 5) break;
    }
    // A busy machine misses some.
    assert.deepEqual(seen, [...new Set(seen)].sort((a, b) => a - b));
    const ticks = addon.ticks(1);
    const first = (await ticks.next()).value;
    // Nobody asks meanwhile. Otherwise 20 ticks would wait.
    await addon.sleep(20);
    const second = await ticks.next();
    assert.equal(second.done, false);
    assert(second.value > first);
    const three = await Promise.all([ticks.next(), ticks.next(), ticks.next()]);
    assert.equal(new Set(three.map(({ value }) => value)).size, 3);
    const waiting = ticks.next();
    assert.deepEqual(await ticks.return(), { done: true });
    assert.deepEqual(await waiting, { done: true });
    assert.deepEqual(await ticks.next(), { done: true });
  },
});
