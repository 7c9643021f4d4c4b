// SPDX-License-Identifier: MIT
// start.ts - comes first, and small: a Worker begins only while its page's thread is free, so the rest
// of the page, which has been fetched meanwhile, waits for it. Then both go on, each on its own.

import { isStarted } from './engine.js';

await isStarted;
await import('./main.js');
