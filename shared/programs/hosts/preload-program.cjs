'use strict'

/*
 * Node loads this module before the runner of a program. It does these things, as its settings say:
 *
 * - It gives each copy of source-map-support a memory for frames (frame-memory.cjs). Without
 *   it, source-map-support maps each frame of each trace anew, which took a third of the processor
 *   time of a program. With the memory, the traces stay the same byte for byte.
 * - It makes the SDK format the trace of a promise only when it is read. The SDK reads it to report
 *   a promise that never settled.
 * - It makes the SDK drop debug messages instead of sending them. The SDK sends three of them for
 *   each registration, one after another. The engine drops them unless the user requests them.
 * - It makes the SDK load npm's arborist only when the program needs it. Programs that serialize no
 *   function never do.
 * - It makes Node keep the compiled code of modules in a folder, for the next start.
 * - It gives the SDK's copy of ts-node a memory of type checks (check-memory.cjs). Another ts-node with
 *   a cache would not see a changed type in another file, so it must check at each run.
 *
 * The program must not notice this module. So it removes itself from the arguments, the variables
 * and the cache of modules, and adds no frame to a stack. The changed functions return the same
 * values as before: `log.debug` returns a promise, as it does without an engine.
 */

const nodeModule = require('node:module')
const { isMainThread } = require('node:worker_threads')
const { createCheckMemory } = require('./check-memory.cjs')
const { createFrameMemory } = require('./frame-memory.cjs')
const {
  addCheckMemory,
  addFrameMemory,
  checkMemoryVariable,
  deferArborist,
  deferPromiseTraces,
  dropDebugMessages,
  memoryVariable,
} = require('./sdk-texts.cjs')

/**
 * The modules that may contain source-map-support, which formats stack traces: the package, and the
 * SDK's copy of ts-node.
 */
const formatterUrl = /\/(?:source-map-support|ts-node@[\d.]+\/index)\.js$/

/** The SDK's copy of ts-node. */
const compilerUrl = /\/ts-node@[\d.]+\/index\.js$/

/**
 * Modules of the SDK. Outside of node_modules, only `log` is changed: the next module of such an SDK
 * looks like the program.
 */
const logUrl = /\/log\/index\.js$/
const promiseUrl = /\/runtime\/debuggable\.js$/
const codePathsUrl = /\/@pulumi\/pulumi\/runtime\/closure\/codePaths\.js$/

/** The code of a program. The SDK also reads its package.json, before it loads ts-node. */
const programUrl = /^file:(?!.*\/node_modules\/).*\.[cm]?[jt]sx?$/

const settings = takeSettings()
const removeCacheVariable = disableCompilerCache()
hideFromProgram()
if (isMainThread && settings !== undefined) {
  if (settings.compiledFolder !== undefined)
    nodeModule.enableCompileCache?.(settings.compiledFolder)
  if (nodeModule.registerHooks !== undefined) changeModules(settings)
}

/**
 * Returns the settings of the host and removes their variable. Returns undefined without settings,
 * as in child processes.
 */
function takeSettings() {
  const text = process.env['ANTICHAIN_PRELOAD']
  delete process.env['ANTICHAIN_PRELOAD']
  return text === undefined ? undefined : JSON.parse(text)
}

/**
 * Removes this module from the arguments that workers and child processes get, and from the cache
 * of modules.
 */
function hideFromProgram() {
  const isOwn = arg => arg.startsWith('--require=') && arg.endsWith('/preload-program.cjs')
  const index = process.execArgv.findIndex(isOwn)
  if (index >= 0) process.execArgv.splice(index, 1)
  for (const name of ['./check-memory.cjs', './frame-memory.cjs', './sdk-texts.cjs'])
    delete require.cache[require.resolve(name)]
  delete require.cache[__filename]
}

/**
 * Turns off the cache of every ts-node with type checks, unless the user decides about it. Returns
 * a function that removes the variable again.
 */
function disableCompilerCache() {
  const { env } = process
  const isChecked =
    env['PULUMI_NODEJS_TYPESCRIPT'] === 'true' && env['PULUMI_NODEJS_TRANSPILE_ONLY'] !== 'true'
  if (!isMainThread || !isChecked || (env['TS_NODE_CACHE'] ?? '') !== '') return () => {}
  env['TS_NODE_CACHE'] = 'false'
  return () => void delete env['TS_NODE_CACHE']
}

/**
 * Changes modules when Node reads them, each of them once: the SDK's copy of source-map-support,
 * that of ts-node, and modules of the SDK. The hook is removed before the program runs. Late changes
 * are for modules that the program loads. For a program that Node loads by `require`, the hook waits
 * for them until the statements of the first file have run.
 */
function changeModules({ remembersFrames, dropsDebugMessages, checkedFolder }) {
  const callSitePrototype = remembersFrames ? findCallSitePrototype() : undefined
  const lastChange = { url: codePathsUrl, change: deferArborist, count: 1, isLate: true }
  const changes = [
    ...(callSitePrototype === undefined ? [] : createTraceChanges(callSitePrototype)),
    ...(dropsDebugMessages === true ? [{ url: logUrl, change: dropDebugMessages, count: 1 }] : []),
    ...createCheckChanges(checkedFolder),
    lastChange,
  ]
  let isRunnerLoaded = false
  let hasProgramBegun = false
  const beginProgram = context => {
    hasProgramBegun = true
    removeCacheVariable()
    if (context.conditions?.includes('require') !== true) hooks.deregister()
    else queueMicrotask(() => hooks.deregister())
  }
  const hooks = nodeModule.registerHooks({
    load(url, context, nextLoad) {
      isRunnerLoaded ||= formatterUrl.test(url)
      const matching = changes.filter(
        one => one.count > 0 && (one.isLate || !hasProgramBegun) && one.url.test(url),
      )
      const isProgram = matching.length === 0 && isRunnerLoaded && programUrl.test(url)
      if (isProgram && !hasProgramBegun) beginProgram(context)
      const loaded = nextLoad(url, context)
      let source
      for (const change of matching) {
        const changed = change.change(String(source ?? loaded.source))
        source = changed ?? source
        if (changed === undefined && !isCounted(change.url)) continue
        change.count -= 1
        isRunnerLoaded = true
      }
      if (matching.includes(lastChange)) hooks.deregister()
      return source === undefined ? loaded : { ...loaded, source }
    },
  })
}

/** Returns whether a module counts as read although its text is unknown. */
function isCounted(url) {
  return url === formatterUrl || url === compilerUrl
}

/**
 * Returns the change of ts-node, for a program in TypeScript. Without a folder, ts-node has no cache
 * and checks at each run.
 */
function createCheckChanges(folder) {
  if (process.env['PULUMI_NODEJS_TYPESCRIPT'] !== 'true') return []
  const change = text => {
    const changed = addCheckMemory(text)
    if (changed === undefined) return undefined
    removeCacheVariable()
    globalThis[checkMemoryVariable] = input =>
      folder === undefined ? undefined : createCheckMemory({ ...input, folder })
    Object.defineProperty(globalThis, checkMemoryVariable, { enumerable: false })
    return changed
  }
  return [{ url: compilerUrl, change, count: 1 }]
}

/**
 * Returns the changes for stack traces. A program in TypeScript has a second formatter. The program
 * loads the first one with an older SDK, such as 3.130.0, whose runner does not load it.
 */
function createTraceChanges(callSitePrototype) {
  const formatterCount = process.env['PULUMI_NODEJS_TYPESCRIPT'] === 'true' ? 2 : 1
  const changeFormatter = text => {
    const changed = addFrameMemory(text)
    if (changed !== undefined) installFrameMemory(callSitePrototype)
    return changed
  }
  return [
    { url: formatterUrl, change: changeFormatter, count: formatterCount, isLate: true },
    { url: promiseUrl, change: deferPromiseTraces, count: 1 },
  ]
}

/** Sets the global variable from which a changed formatter takes the memory. */
function installFrameMemory(callSitePrototype) {
  globalThis[memoryVariable] = (wrapCallSite, sourceMapOf) =>
    createFrameMemory(wrapCallSite, sourceMapOf, callSitePrototype)
  Object.defineProperty(globalThis, memoryVariable, { enumerable: false })
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
