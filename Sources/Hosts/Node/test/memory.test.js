'use strict';
// Calls and garbage: nothing grows.
const { tests, flat } = require('./support.js');
const addon = require('..');

tests({
  async '200,000 calls of a function'() {
    await flat(20, 2 << 20, () => { for (let i = 0; i < 10_000; i++) addon.add(i, 1); });
  },

  async '100,000 awaited tasks, and as many that fail'() {
    await flat(20, 4 << 20, async () => {
      for (let i = 0; i < 50; i++) await Promise.all(Array.from({ length: 100 }, () => addon.sleep(0)));
      for (let i = 0; i < 50; i++) {
        await Promise.allSettled(Array.from({ length: 100 }, () => addon.readFile('/nowhere')));
      }
    });
  },

  async 'buffers under the pressure of the collector'() {
    await flat(200, 16 << 20, async (round) => {
      // 60 to 120 KiB each; many garbage, one kept for a while.
      const files = await Promise.all(Array.from({ length: 20 }, () => addon.readFile(process.execPath.length ? __filename : '')));
      files.kept = (await addon.readFile('/proc/self/maps').catch(() => files[0]));
      if (round % 10 === 0) global.gc();
    });
  },

  async 'iterators, signals and functions that JavaScript drops in the middle'() {
    await flat(40, 4 << 20, async (round) => {
      for (let i = 0; i < 50; i++) {
        const ticks = addon.ticks(1);
        if (i % 2) await ticks.next();
        if (i % 3) await ticks.return();
        const controller = new AbortController();
        const sleeping = addon.sleep(1e6, { signal: controller.signal }).catch(() => {});
        controller.abort();
        await sleeping;
        await addon.repeat(1, () => 1);
      }
      if (round % 4 === 0) global.gc();
    });
  },
});
