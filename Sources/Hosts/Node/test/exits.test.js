'use strict';
// A program may end in every way while Swift is in the middle of something.
const assert = require('node:assert/strict');
const { spawn } = require('node:child_process');
const { tests } = require('./support.js');

const busy = `
  const addon = require(${JSON.stringify(require.resolve('..'))});
  addon.serveEcho(); addon.sleep(1e9); addon.readFile(process.execPath);
  (async () => { for await (const _ of addon.ticks(1)) {} })();
  for (let i = 0; i < 20; i++) (function again() { addon.sleep(i % 3).then(again); })();`;

/** Runs a program, and returns how it ended: a number or a signal. */
function end(source, { before = busy, kill } = {}) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['-e', `${before}\n${source}`], { stdio: ['ignore', 'pipe', 'pipe'], timeout: 30_000 });
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      if (kill && text.includes('ready')) child.kill(kill);
    });
    child.stderr.on('data', (chunk) => { text += chunk; });
    child.once('close', (code, signal) => resolve({ how: signal || code, text }));
  });
}

async function expectEnd(source, how, options) {
  const found = await end(source, options);
  assert.equal(found.how, how, `${source}: ${found.text}`);
}

const addon = `const addon = require(${JSON.stringify(require.resolve('..'))});`;

tests({
  'by process.exit': () => expectEnd('setTimeout(() => process.exit(7), 20)', 7),
  'by process.exit after a Swift task': () => expectEnd('addon.sleep(5).then(() => process.exit(8))', 8),
  'by process.exit in a function that Swift calls':
    () => expectEnd('addon.repeat(5, (n) => { if (n === 2) process.exit(9); return 0; })', 9),
  'by an exception': () => expectEnd('setTimeout(() => { throw new Error("x"); }, 20)', 1),
  'by an exception after a Swift task':
    () => expectEnd('addon.sleep(5).then(() => { process.nextTick(() => { throw new Error("x"); }); })', 1),
  'by a rejection that nobody handles': () => expectEnd('addon.readFile("/nowhere")', 1),
  'by a signal': () => expectEnd('setTimeout(() => console.log("ready"), 5)', 'SIGTERM', { kill: 'SIGTERM' }),
  'by a signal that JavaScript handles':
    () => expectEnd('process.once("SIGTERM", () => process.exit(5)); setTimeout(() => console.log("ready"), 5)', 5, { kill: 'SIGTERM' }),
  'at its end, when Swift has nothing more to do':
    () => expectEnd('addon.sleep(5).then(() => addon.readFile(process.execPath))', 0, { before: addon }),
  'at its end, beside a server that has been unreferenced':
    () => expectEnd('addon.serveEcho().then((server) => server.unref())', 0, { before: addon }),
  'with a promise that nobody waits for and an iterator that nobody asks':
    () => expectEnd('addon.sleep(5); addon.ticks(1)', 0, { before: addon }),
  'in a handler of exit, where Swift may still be called':
    () => expectEnd('process.on("exit", () => { addon.sleep(1); if (addon.add(1, 1) !== 2) process.abort(); })', 0, { before: addon }),
  async 'by an end of the loop that leaves tasks'() {
    await expectEnd('process.on("beforeExit", () => process.exit(3)); addon.sleep(1)', 3, { before: addon });
  },
});
