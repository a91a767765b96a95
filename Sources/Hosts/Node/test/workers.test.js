'use strict';
// Workers, each with an instance of the addon, terminated in the middle of work.
const assert = require('node:assert/strict');
const { Worker, isMainThread, parentPort, workerData } = require('node:worker_threads');
const { tests, flat } = require('./support.js');
const addon = require('..');

/** What a worker does until it is terminated. */
const jobs = {
  tasks() { for (let i = 0; i < 50; i++) (function again() { addon.sleep(i % 3).then(again); })(); },
  sleeping() { for (let i = 0; i < 50; i++) addon.sleep(1e9); },
  files() { (function again() { addon.readFile(__filename).then(again); })(); },
  async iterating() { for await (const _ of addon.ticks(1)) {} },
  async serving() { await addon.serveEcho(); await addon.serveRedis(); },
  calling() { (function again() { addon.repeat(1e9, () => 1); })(); },
  busy() { addon.sleep(0).then(() => { parentPort.postMessage('ready'); for (;;); }); },
  leaving() { addon.sleep(1e9); setImmediate(() => process.exit(0)); },
  throwing() { addon.sleep(1).then(() => { throw new Error('on purpose'); }); },
  aborting() { addon.sleep(1e9, { signal: AbortSignal.timeout(1) }).catch(() => {}); addon.sleep(1e9); },
};

async function work(name, turns) {
  const worker = new Worker(__filename, { workerData: name, stdout: true, stderr: true });
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  worker.on('error', () => {});
  await new Promise((resolve) => { worker.once('message', resolve); worker.once('exit', resolve); });
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
  await worker.terminate();
  return ended;
}

if (!isMainThread) {
  if (workerData !== 'busy') parentPort.postMessage('ready');
  jobs[workerData]();
} else {
  const names = Object.keys(jobs);
  tests({
    async 'each worker has an instance of its own, and ends by itself when it has no work'() {
      const source = `
        const addon = require(${JSON.stringify(require.resolve('..'))});
        const { parentPort } = require('node:worker_threads');
        addon.sleep(5).then(() => parentPort.postMessage(addon.add(20, 22)));`;
      const workers = Array.from({ length: 8 }, () => new Worker(source, { eval: true }));
      const answers = await Promise.all(workers.map(async (worker) => {
        const answer = new Promise((resolve) => worker.once('message', resolve));
        const code = await new Promise((resolve) => worker.once('exit', resolve));
        assert.equal(code, 0);
        return answer;
      }));
      assert.deepEqual(answers, Array(8).fill(42));
    },

    async '200 workers are terminated in the middle of work'() {
      // A round is one worker of each kind, and the memory of the process stays.
      await flat(20, 24 << 20, async (round) => {
        await Promise.all(names.map((name) => work(name, (round % 5) * 4)));
      });
    },

    async 'the main thread works on meanwhile'() {
      const files = Array.from({ length: 200 }, () => addon.readFile(__filename));
      await Promise.all([work('tasks', 1), work('files', 1), ...files]);
    },
  });
}
