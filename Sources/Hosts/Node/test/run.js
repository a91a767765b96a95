'use strict';
// Runs every test file in a process of its own: `node test/run.js [NAME…]`. A file fails if its process does, or if it takes
// more than two minutes.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const wanted = process.argv.slice(2);
const files = fs.readdirSync(__dirname).filter((file) => file.endsWith('.test.js'))
  .filter((file) => wanted.length === 0 || wanted.some((name) => file.includes(name)));
let failed = 0;
for (const file of files) {
  const { status, signal } = spawnSync(process.execPath, ['--expose-gc', path.join(__dirname, file)], {
    stdio: 'inherit', timeout: 120_000, killSignal: 'SIGKILL',
  });
  if (status !== 0) {
    failed += 1;
    console.log(`FAILED ${file}: ${signal || `exit ${status}`}`);
  }
}
console.log(`${files.length - failed} passed, ${failed} failed`);
process.exit(failed === 0 && files.length > 0 ? 0 : 1);
