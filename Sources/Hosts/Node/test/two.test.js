'use strict';
// Two addons, each with a copy of the library, on one loop.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const { tests } = require('./support.js');

const original = path.resolve(__dirname, '..', process.env.SWIFT_UV_ADDON || 'build/Example.node');
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'swift-uv-'));
const copy = path.join(directory, 'Other.node');
fs.copyFileSync(original, copy);
const one = require(original);
const other = require(copy);

tests({
  async 'both work on one loop'() {
    assert.notEqual(one.sleep, other.sleep);
    const order = [];
    await Promise.all([one, other, one, other].map(async (addon, index) => {
      await addon.sleep((4 - index) * 20);
      order.push(index);
    }));
    assert.deepEqual(order, [3, 2, 1, 0]);
  },

  async 'a function of one calls a function of the other'() {
    assert.equal(await one.repeat(3, (n) => other.add(n, 10)), 33);
  },

  async 'each serves clients of the other'() {
    const servers = [await one.serveEcho(), await other.serveEcho()];
    for (const { port } of servers) {
      const socket = net.connect(port, '127.0.0.1');
      socket.end('hello');
      let text = '';
      for await (const chunk of socket) text += chunk;
      assert.equal(text, 'hello');
    }
    await Promise.all(servers.map((server) => server.close()));
  },

  'the files are removed'() { fs.rmSync(directory, { recursive: true }); },
});
