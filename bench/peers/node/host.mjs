// swift-uv inside Node.js, by the contract in ../README.md. JavaScript asks, a Swift task on Node's loop answers.
//
//     node host.mjs Example.node WORKLOAD [key=value ...]

import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const [addonPath, workload, ...rest] = process.argv.slice(2);
const addon = createRequire(import.meta.url)(path.resolve(addonPath));
const options = Object.fromEntries(rest.map((word) => word.split('=')));

const work = {
  async 'host-call'(count) {
    let answered = 0;
    while (answered < count) answered += await addon.answer(1);
    return answered;
  },

  async 'fs-read'(count) {
    let issued = 0;
    let total = 0;
    await Promise.all(
      Array.from({ length: +options['in-flight'] }, async () => {
        while (issued < count) {
          const name = `file-${String(issued++ % 64).padStart(2, '0')}`;
          const bytes = await addon.readFile(`${options.directory}/${name}`);
          total += bytes.length;
        }
      }),
    );
    return total;
  },
};

if (workload === 'tcp-echo') {
  console.log((await addon.serveEcho(0)).port);
  process.stdin.on('end', () => process.exit(0)).resume();
} else {
  for await (const line of readline.createInterface({ input: process.stdin })) {
    console.log(`${line} ${await work[workload](+line)}`);
  }
  process.exit(0);
}
