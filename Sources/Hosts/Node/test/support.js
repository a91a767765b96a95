'use strict';
const assert = require('node:assert/strict');

/** Runs tests one after the other; the first that fails ends the process. */
exports.tests = async (tests) => {
  for (const [name, body] of Object.entries(tests)) {
    // A promise that nobody settles would let the program end without a word.
    const pending = () => { console.log(`not ok ${name}: the loop has nothing more to do`); process.exit(1); };
    process.once('beforeExit', pending);
    try {
      await body();
    } catch (error) {
      console.log(`not ok ${name}`);
      console.log(error);
      process.exit(1);
    }
    process.off('beforeExit', pending);
    console.log(`ok ${name}`);
  }
};

/** Expects that a promise is rejected, and returns the reason. */
exports.rejection = async (promise) => {
  let value;
  try { value = await promise; } catch (error) { return error; }
  assert.fail(`fulfilled with ${value}`);
};

/**
 * Expects that the memory of the process has stopped growing: what half of the rounds add after the first half is at most
 * `limit` bytes. A leak adds as much each time. The C library's heaps for threads grow once, when more threads than before
 * happen to work at once; so the rounds may go on twice.
 */
exports.flat = async (rounds, limit, body) => {
  const half = async () => {
    for (let i = 0; i < rounds / 2; i++) await body(i);
    for (let i = 0; i < 4; i++) {
      global.gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
    return process.memoryUsage();
  };
  let after = await half();
  let grown;
  for (let attempt = 0; attempt < 3; attempt++) {
    const before = after;
    after = await half();
    // V8 takes room for garbage in steps of megabytes, whenever it likes. What it uses of that counts.
    const [then, now] = [before, after].map(({ rss, heapTotal, heapUsed }) => rss - heapTotal + heapUsed);
    grown = now - then;
    const external = after.external + after.arrayBuffers - before.external - before.arrayBuffers;
    console.log(`  ${rounds} rounds: ${grown >> 10} KiB more, ${external >> 10} of them in buffers`);
    if (grown <= limit) return;
  }
  assert.fail(`the process grew by ${grown} bytes`);
};
