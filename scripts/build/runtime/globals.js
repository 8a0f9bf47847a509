/**
 * The globals that the emulator uses, as Node.js has them: tests fake timers, and their environment
 * may have a browser's. They are taken when the package is loaded.
 */
const { Buffer } = require('node:buffer')
const { performance } = require('node:perf_hooks')
const timers = require('node:timers')
const { URL, URLSearchParams } = require('node:url')
const { TextDecoder, TextEncoder, transferableAbortController } = require('node:util')
const { runInThisContext } = require('node:vm')
const { MessageChannel } = require('node:worker_threads')

// Jest runs tests in a context with globals of its own
const node = runInThisContext('globalThis')
const abort = transferableAbortController()

module.exports = {
  Buffer,
  URL,
  URLSearchParams,
  TextDecoder,
  TextEncoder,
  MessageChannel,
  AbortController: abort.constructor,
  AbortSignal: abort.signal.constructor,
  Date: node.Date,
  Uint8Array: node.Uint8Array,
  fetch: node.fetch,
  structuredClone: node.structuredClone,
  queueMicrotask: node.queueMicrotask,
  performance,
  nextTick: node.process.nextTick,
  setTimeout: timers.setTimeout,
  clearTimeout: timers.clearTimeout,
  setInterval: timers.setInterval,
  clearInterval: timers.clearInterval,
  setImmediate: timers.setImmediate,
  clearImmediate: timers.clearImmediate,
  nodeTimers: { ...timers },
  nodeTimersPromises: { ...timers.promises }
}
