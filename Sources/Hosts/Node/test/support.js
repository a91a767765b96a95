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
 * Expects that the memory of the process has stopped growing: what the second half of the rounds adds is at most `limit`
 * bytes.
 */
exports.flat = async (rounds, limit, body) => {
  const settle = async () => {
    for (let i = 0; i < 4; i++) {
      global.gc();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  for (let i = 0; i < rounds / 2; i++) await body(i);
  await settle();
  const before = process.memoryUsage();
  for (let i = 0; i < rounds / 2; i++) await body(i);
  await settle();
  const after = process.memoryUsage();
  // V8 takes room for garbage in steps of megabytes, whenever it likes. What it uses of that counts.
  const [then, now] = [before, after].map(({ rss, heapTotal, heapUsed }) => rss - heapTotal + heapUsed);
  const grown = now - then;
  const external = after.external + after.arrayBuffers - before.external - before.arrayBuffers;
  console.log(`  ${rounds} rounds: ${grown >> 10} KiB more, ${external >> 10} of them in buffers`);
  assert(grown <= limit, `the process grew by ${grown} bytes`);
};
