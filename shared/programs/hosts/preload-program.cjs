'use strict'

/*
 * Node loads this module before the runner of a program. It does two things, as its settings say:
 *
 * - It gives each copy of source-map-support a memory for frames (frame-memory.cjs). Stack traces
 *   take a third of the processor time of a program. The SDK reads one for each promise and each
 *   registration, and source-map-support maps each frame anew. With the memory, the traces stay
 *   the same byte for byte.
 * - It makes Node keep the compiled code of modules in a folder, for the next start.
 *
 * The program must not notice this module. So it removes itself from the arguments, the variables
 * and the cache of modules. It adds no frame to a stack, and changes no function that the program
 * can reach.
 */

const { createHash } = require('node:crypto')
const nodeModule = require('node:module')
const { isMainThread } = require('node:worker_threads')
const { createFrameMemory } = require('./frame-memory.cjs')

/**
 * SHA-256 of the code from `mapSourcePosition` to `prepareStackTrace`, without whitespace. The
 * memory is valid for these versions only. Other versions run without it.
 */
const knownCode = new Set([
  // source-map-support 0.5.16 to 0.5.19
  'bce7f0c88769cd6644fa836460606922752aa05b03a79aad22f2a6c3de02ffd1',
  // source-map-support 0.5.20 and 0.5.21
  '3779cf0fd0cc56ecf670edc93163ad4bd77550f4a5e7b3aaaf650bcaf323bc65',
  // ts-node 7.0.1 in the SDK
  'a6f6eaf31603790b6d92c19d3c558ed0a0773d1a127fc78dc656b5ac91da635c',
])

/**
 * The modules that may contain source-map-support, which formats stack traces: the package, and the
 * SDK's copy of ts-node.
 */
const formatterUrl = /\/(?:source-map-support|ts-node@[\d.]+\/index)\.js$/

/** The code of a program. The SDK also reads its package.json, before it loads ts-node. */
const programUrl = /^file:(?!.*\/node_modules\/).*\.[cm]?[jt]sx?$/

/** The global variable from which a changed module takes the memory. The module deletes it. */
const memoryVariable = '__antichainFrameMemory'

/** The statements that install the memory. They are on the line of the statement before them. */
const installation = [
  `wrapCallSite = globalThis.${memoryVariable}(wrapCallSite, file => sourceMapCache[file]);`,
  `delete globalThis.${memoryVariable};`,
].join(' ')

const settings = takeSettings()
hideFromProgram()
if (isMainThread) {
  if (settings.compiledFolder !== undefined)
    nodeModule.enableCompileCache?.(settings.compiledFolder)
  if (settings.remembersFrames && nodeModule.registerHooks !== undefined) changeFormatters()
}

/** Returns the settings of the host and removes their variable. Child processes have none. */
function takeSettings() {
  const text = process.env['ANTICHAIN_PRELOAD'] ?? '{}'
  delete process.env['ANTICHAIN_PRELOAD']
  return JSON.parse(text)
}

/**
 * Removes this module from the arguments that workers and child processes get, and from the cache
 * of modules.
 */
function hideFromProgram() {
  const isOwn = arg => arg.startsWith('--require=') && arg.endsWith('/preload-program.cjs')
  const index = process.execArgv.findIndex(isOwn)
  if (index >= 0) process.execArgv.splice(index, 1)
  delete require.cache[require.resolve('./frame-memory.cjs')]
  delete require.cache[__filename]
}

/**
 * Changes the code of source-map-support when Node reads it: first the SDK's copy, then that of
 * ts-node. The hook is removed before the program runs.
 */
function changeFormatters() {
  const callSitePrototype = findCallSitePrototype()
  if (callSitePrototype === undefined) return
  const lastFormatter = process.env['PULUMI_NODEJS_TYPESCRIPT'] === 'true' ? 2 : 1
  let formatterCount = 0
  const hooks = nodeModule.registerHooks({
    load(url, context, nextLoad) {
      const isFormatter = formatterUrl.test(url)
      if (isFormatter) formatterCount += 1
      const isProgram = formatterCount > 0 && programUrl.test(url)
      if (isProgram || formatterCount >= lastFormatter) hooks.deregister()
      const loaded = nextLoad(url, context)
      const text = isFormatter ? addFrameMemory(String(loaded.source)) : undefined
      if (text === undefined) return loaded
      globalThis[memoryVariable] = (wrapCallSite, sourceMapOf) =>
        createFrameMemory(wrapCallSite, sourceMapOf, callSitePrototype)
      Object.defineProperty(globalThis, memoryVariable, { enumerable: false })
      return { ...loaded, source: text }
    },
  })
}

/** Returns the prototype of V8's frames. Returns undefined if traces have no frames. */
function findCallSitePrototype() {
  const original = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace')
  try {
    Error.prepareStackTrace = (_error, callSites) => callSites
    return Object.getPrototypeOf(new Error().stack[0])
  } catch {
    return undefined
  } finally {
    if (original === undefined) delete Error.prepareStackTrace
    else Object.defineProperty(Error, 'prepareStackTrace', original)
  }
}

/**
 * Returns the text of a module with source-map-support, where `prepareStackTrace` asks the memory
 * first. Lines keep their numbers, and exports keep their values. Returns undefined for unknown
 * code.
 */
function addFrameMemory(text) {
  const start = text.indexOf('function mapSourcePosition(')
  const end = text.indexOf('function getErrorSource(')
  const code = text.slice(start, end).replace(/\s+/g, '')
  const digest = createHash('sha256').update(code).digest('hex')
  if (start < 0 || !knownCode.has(digest)) return undefined
  const anchor = /\bexports2?\.wrapCallSite = wrapCallSite;/
  if (!anchor.test(text) || text.includes(memoryVariable)) return undefined
  return text.replace(anchor, statement => `${statement} ${installation}`)
}
