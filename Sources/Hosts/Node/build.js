#!/usr/bin/env node
'use strict';
// Builds an addon in Swift for the Node that runs this:
//
//   node build.js                                    this package's example, build/Example.node
//   node build.js --package ../MyAddon --product MyAddon
//   node build.js --debug
//
// The result is in the folder `build` of the package. It needs the Swift runtime of the machine that it was built on; with
// --static it carries its own.
const { spawnSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');
const { parseArgs } = require('node:util');

const { values: options } = parseArgs({
  options: {
    package: { type: 'string', default: __dirname },
    product: { type: 'string', default: 'Example' },
    debug: { type: 'boolean', default: false },
    static: { type: 'boolean', default: false },
    headers: { type: 'string' },
  },
});

/** The folder of node_api.h and, if Node carries its own libuv, of uv.h. */
function findHeaders() {
  const node = fs.realpathSync(process.execPath);
  const places = [
    options.headers,
    path.join(path.dirname(node), '..', 'include', 'node'),
    '/usr/include/node',
    '/usr/include/nodejs/src',
    '/usr/local/include/node',
    '/opt/homebrew/include/node',
  ];
  const found = places.find((place) => place && fs.existsSync(path.join(place, 'node_api.h')));
  if (!found) {
    console.error(`build.js: there is no node_api.h beside ${node}.`);
    console.error('Install the headers (Debian: apt-get install libnode-dev), or name their folder with --headers.');
    process.exit(1);
  }
  return found;
}

const directory = path.resolve(options.package);
const swift = [
  'build', '--package-path', directory, '--product', options.product, '-c', options.debug ? 'debug' : 'release',
  '-Xcc', `-I${findHeaders()}`,
];
if (options.static) swift.push('--static-swift-stdlib');
// Node has the functions, and only the linker of macOS needs an option for that.
if (process.platform === 'darwin') swift.push('-Xlinker', '-undefined', '-Xlinker', 'dynamic_lookup');

function run(more, stdio) {
  const { status, stdout, error } = spawnSync('swift', [...swift, ...more], { stdio, encoding: 'utf8' });
  if (error && error.code === 'ENOENT') {
    console.error('build.js: there is no swift; https://www.swift.org/install says how to get it');
    process.exit(1);
  }
  if (status !== 0) process.exit(status || 1);
  return stdout;
}

run([], ['ignore', 'inherit', 'inherit']);
const products = run(['--show-bin-path'], ['ignore', 'pipe', 'inherit']).trim();
const suffix = process.platform === 'darwin' ? 'dylib' : 'so';
const addon = path.join(directory, 'build', `${options.product}.node`);
fs.mkdirSync(path.dirname(addon), { recursive: true });
// Not copied over one that a program has loaded.
fs.rmSync(addon, { force: true });
fs.copyFileSync(path.join(products, `lib${options.product}.${suffix}`), addon);
console.log(path.relative(process.cwd(), addon));
