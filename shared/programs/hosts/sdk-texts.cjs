'use strict'

/*
 * Changes of the texts of modules, for programs in Node. Each function returns the changed text, or
 * undefined for a text that it does not know. Lines keep their numbers, and the code of a stack
 * frame keeps its column. So stack traces and source maps stay valid.
 */

const { createHash } = require('node:crypto')

/** The global variables from which a changed module takes a memory. The module deletes them. */
const memoryVariable = '__antichainFrameMemory'
const checkMemoryVariable = '__antichainCheckMemory'

/**
 * SHA-256 of the code from `mapSourcePosition` to `prepareStackTrace`, without whitespace. The
 * memory is valid for these versions only. Other versions run without it.
 */
const knownFormatters = new Set([
  // source-map-support 0.5.16 to 0.5.19
  'bce7f0c88769cd6644fa836460606922752aa05b03a79aad22f2a6c3de02ffd1',
  // source-map-support 0.5.20 and 0.5.21
  '3779cf0fd0cc56ecf670edc93163ad4bd77550f4a5e7b3aaaf650bcaf323bc65',
  // ts-node 7.0.1 in the SDK
  'a6f6eaf31603790b6d92c19d3c558ed0a0773d1a127fc78dc656b5ac91da635c',
])

/** SHA-256 of the function `debug` of the SDK, without whitespace. Other versions send messages. */
const knownDebugFunctions = new Set([
  // SDK 3.30.0 to 3.150.0
  'd3b667ec6889cfe722df8a73c2491acdea81b2aa98a3c854febe0211589e3932',
  // SDK 3.190.0 to 3.276.0
  '8e37b451e3c620dc1d5f842437cebc5aa7e97017ff56997b13134d43a57986c6',
])

/** SHA-256 of the code of ts-node that checks and compiles modules, without whitespace. */
const knownCompilers = new Set([
  // ts-node 7.0.1 in the SDK
  '4f652409cc93d7efa58ea6bf44f1c90ae3f6f3e66d55eec4cb9b9b158f3301c7',
])

/**
 * Changes source-map-support, whose `prepareStackTrace` then asks the memory first. Exports keep
 * their values. The memory is the value of the global variable `memoryVariable`.
 */
function addFrameMemory(text) {
  const start = text.indexOf('function mapSourcePosition(')
  const end = text.indexOf('function getErrorSource(')
  if (start < 0 || !knownFormatters.has(digestOf(text.slice(start, end)))) return undefined
  const anchor = /\bexports2?\.wrapCallSite = wrapCallSite;/
  if (!anchor.test(text) || text.includes(memoryVariable)) return undefined
  const installation = [
    `wrapCallSite = globalThis.${memoryVariable}(wrapCallSite, file => sourceMapCache[file]);`,
    `delete globalThis.${memoryVariable};`,
  ].join(' ')
  return text.replace(anchor, statement => `${statement} ${installation}`)
}

/**
 * Changes ts-node, which then asks the memory of type checks before it compiles a module, and keeps
 * no output of its own. Without type checks, and without its cache, ts-node works as before. The
 * memory is the value of the global variable `checkMemoryVariable`.
 */
function addCheckMemory(text) {
  const start = text.indexOf('function register(opts) {')
  const end = text.indexOf('function updateOutput(')
  if (start < 0 || !knownCompilers.has(digestOf(text.slice(start, end)))) return undefined
  const host = 'ts.createLanguageService(serviceHost);'
  const compile = 'readThrough(cachedir, options.cache === true, memoryCache,'
  const version = 'exports.VERSION = require_package().version;'
  const anchors = [host, compile, version]
  if (anchors.some(anchor => text.split(anchor).length !== 2)) return undefined
  const input = [
    'cwd, memoryCache, readFile, project: options.project,',
    'digest: path_1.basename(cachedir), compilerFile: require.resolve(compiler)',
  ].join(' ')
  const create = `var checkMemory = options.cache === true ? createMemory({ ${input} }) : undefined;`
  const traced = '(checkMemory ? checkMemory.traceHost(serviceHost) : serviceHost)'
  const take = `var createMemory = globalThis.${checkMemoryVariable}; delete globalThis.${checkMemoryVariable};`
  return text
    .replace(version, () => `${version} ${take}`)
    .replace(
      `var service_1 = ${host}`,
      () => `${create} var service_1 = ts.createLanguageService${traced};`,
    )
    .replace(
      compile,
      () => 'readThrough(cachedir, !typeCheck && options.cache === true, memoryCache,',
    )
    .replace(
      'getOutput, getExtension);',
      call => `${call} if (checkMemory) compile = checkMemory.wrapCompile(compile);`,
    )
}

/** Changes the SDK's `log`, whose function `debug` then sends nothing. */
function dropDebugMessages(text) {
  const head = 'function debug(msg, resource, streamId, ephemeral) {'
  const start = text.indexOf(head)
  const end = text.indexOf('exports.debug = debug;', start)
  if (start < 0 || !knownDebugFunctions.has(digestOf(text.slice(start, end)))) return undefined
  return text.replace(head, statement => `${statement} return Promise.resolve();`)
}

/**
 * Changes the SDK's `debuggablePromise`, which then formats the stack trace of a promise at
 * its first read. V8 captures the frames at the same place as before.
 */
function deferPromiseTraces(text) {
  const statement =
    'Object.defineProperty(p, "_debugStackTrace", { writable: true, value: new Error().stack });'
  const anchor = 'exports.debuggablePromise = debuggablePromise;'
  if (text.split(statement).length !== 2 || !text.includes(anchor)) return undefined
  const call = 'defineTraceOf(p,'.padEnd(statement.indexOf('new Error()'))
  const definition = `function defineTraceOf(promise, error) {
    const define = value => void Object.defineProperty(promise, "_debugStackTrace",
      { writable: true, configurable: false, value });
    const earlier = Object.getOwnPropertyDescriptor(promise, "_debugStackTrace");
    if (earlier?.configurable === false) return define(error.stack);
    Object.defineProperty(promise, "_debugStackTrace",
      { configurable: true, get() { define(error.stack); return promise._debugStackTrace }, set: define });
  }`
  return text
    .replace(statement, () => `${call}new Error());`)
    .replace(anchor, () => `${anchor} ${definition.replace(/\s+/g, ' ')}`)
}

/**
 * Changes the SDK's `computeCodePaths`, which then loads npm's arborist at its first use. Arborist
 * has some 440 modules of its own, and only serialized functions need it. SDK 3.276.0 does not
 * contain it.
 */
function deferArborist(text) {
  const statement = 'const arborist = __importStar(require("@npmcli/arborist"));'
  const others = text.split(statement)
  if (others.length !== 2 || /\barborist\b(?!\.Arborist\()/.test(others.join(''))) return undefined
  const property = 'get Arborist() { return require("@npmcli/arborist").Arborist; }'
  return text.replace(statement, () => `const arborist = { ${property} };`)
}

/** Returns the SHA-256 of a code without whitespace. */
function digestOf(code) {
  return createHash('sha256').update(code.replace(/\s+/g, '')).digest('hex')
}

module.exports = {
  addCheckMemory,
  addFrameMemory,
  checkMemoryVariable,
  deferArborist,
  deferPromiseTraces,
  dropDebugMessages,
  memoryVariable,
}
