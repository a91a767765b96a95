'use strict';
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const path = require('node:path');
const { tests } = require('./support.js');

const refusal = /this addon needs the whole of libuv, and Bun has a part of it \(bun#18546\): run it with node/;

tests({
  'in a runtime that says it is Bun, loading is an error that says why': () => {
    const real = globalThis.process;
    const versions = { ...real.versions, bun: '1.4.4' };
    globalThis.process = Object.create(real, { versions: { value: versions } });
    try {
      assert.throws(() => require('..'), refusal);
    } finally {
      globalThis.process = real;
    }
  },
  'Bun itself, where it is installed, goes on after the error': () => {
    const bun = process.env.BUN || 'bun';
    if (spawnSync(bun, ['--version']).status !== 0) return console.log('  there is no bun: name it with BUN');
    const script = `try { require(${JSON.stringify(path.join(__dirname, '..'))}); } catch (e) { console.log(e.message); }`;
    const { status, stdout } = spawnSync(bun, ['-e', script], { encoding: 'utf8' });
    assert.equal(status, 0);
    assert.match(stdout, refusal);
  },
});
