import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, realpathSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPreload, type Preload } from './preload-program.ts'

const fixtures = resolve(import.meta.dirname, '../../../test/fixtures')
const defaults = {
  env: {},
  nodeArgs: [],
  compiledFolder: undefined,
  checkedFolder: undefined,
  debug: false,
}
const preload = createPreload(defaults)
const noPreload: Preload = { args: [], env: {} }
let folder = ''

/**
 * A program in TypeScript. Its minified code has other names. Only the source map has the names
 * that are written here.
 */
const mappedSource = `
class Collector {
  constructor(private readonly collect: () => void) {}
  collectOne(): void { this.collect() }
  async collectLater(): Promise<void> { await null; collectNested(() => this.collectOne()) }
}
function collectNested(collectDeep: () => void): void { collectDeep() }
exports.run = async (take: () => void): Promise<void> => {
  const collector = new Collector(take)
  collectNested(() => collector.collectOne())
  collectNested(take)
  await collector.collectLater()
}`

function writeMapped(name: string, kind: 'inline' | 'external'): void {
  const options = { loader: 'ts', minify: true, sourcefile: `${name}.ts` } as const
  const { code, map } = transformSync(mappedSource, { ...options, sourcemap: kind })
  const comment = kind === 'inline' ? '' : `//# sourceMappingURL=${name}.js.map\n`
  writeFileSync(join(folder, `${name}.js`), code + comment)
  if (kind === 'external') writeFileSync(join(folder, `${name}.js.map`), map)
}

/**
 * Writes a program with one call of `require` for each text of `requires`, and the line `lastLine`.
 * A text follows `require(` in its line, and lacks the last parenthesis of this line.
 */
function writeMain(name: string, requires: readonly string[], lastLine: string): void {
  const lines = requires.map(text => `require(${text})`)
  writeFileSync(join(folder, name), `${[...lines, lastLine].join('\n')}\n`)
}

const register = `'source-map-support/register'`
const tsNode = `'./node_modules/@pulumi/pulumi/vendor/ts-node@7.0.1').register({ compiler: 'typescript' }`
const traceLines = `const modules = [require('./inline.js'), require('./external.js')]
require('./collect-traces.js').collectTraces(modules).then(result => console.log(JSON.stringify(result)))`

/** Prints the severities of the messages that an engine receives: 0 is debug, and 1 is info. */
const loggingSource = `const severities = []
require('@pulumi/pulumi/runtime/settings').getEngine = () => ({
  log(request, onEnd) { severities.push(request.getSeverity()); onEnd() },
})
const log = require('@pulumi/pulumi/log')
Promise.all([log.debug('a'), log.info('b'), log.debug('c')]).then(() => console.log(severities.join()))`

/** Prints the traces of promises, and what else a program can see of their property. */
const promiseSource = `const { debuggablePromise } = require('@pulumi/pulumi/runtime/debuggable')
class Collector { constructor(promise) { debuggablePromise(promise, 'a') } }
const promises = [1, 2, 3].map(number => Promise.resolve(number))
promises.slice(0, 2).forEach(promise => debuggablePromise(promise, 'b'))
new Collector(promises[2])
setImmediate(() => {
  const traces = promises.map(promise => promise._debugStackTrace)
  promises[0]._debugStackTrace = 'other'
  const described = Object.getOwnPropertyDescriptor(promises[1], '_debugStackTrace')
  const names = promises.map(promise => [Object.getOwnPropertyNames(promise), Object.keys(promise)])
  console.log(JSON.stringify([traces, promises[0]._debugStackTrace, described, names]))
})`

/**
 * A program that serializes a function. It prints its own trace, its paths of code, whether arborist
 * was loaded before them, and whether arborist is loaded afterwards.
 */
const serializingSource = `const { computeCodePaths } = require('@pulumi/pulumi').runtime
const hasArborist = () => Object.keys(require.cache).some(file => file.includes('@npmcli/arborist'))
const results = [hasArborist(), new Error('top').stack, require('./inline.js') === undefined]
computeCodePaths().then(paths =>
  console.log(JSON.stringify([...results, [...paths.keys()].sort(), hasArborist()])))`

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'antichain-traces-')))
  cpSync(join(fixtures, 'programs/traces'), folder, { recursive: true })
  symlinkSync(join(fixtures, 'sdk/node_modules'), join(folder, 'node_modules'))
  writeMapped('inline', 'inline')
  writeMapped('external', 'external')
  writeMain('plain.js', [register], traceLines)
  writeMain('typescript.js', [register, tsNode], traceLines)
  writeMain(
    'reloading.js',
    [register],
    `require('source-map-support').install({ hookRequire: true })\n${traceLines}`,
  )
  writeMain(
    'forgetting.js',
    [register],
    `require('source-map-support').install({ emptyCacheBetweenOperations: true })\n${traceLines}`,
  )
  writeMain('logging.js', [register], loggingSource)
  writeMain('promises.js', [register], promiseSource)
  writeMain('serializing.js', [register], `require('./serializing-program.js')`)
  writeFileSync(join(folder, 'serializing-program.js'), serializingSource)
  writeFileSync(join(folder, 'package.json'), '{"dependencies":{"source-map-support":"*"}}')
  writeMain('late.js', [register], `require('./other.js')\n${loggingSource}`)
  writeFileSync(join(folder, 'other.js'), '')
  writeMain('failing.js', [register], `require('./inline.js').run(() => { throw new Error('x') })`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface ScriptOutput {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function runScript(script: string, { args, env }: Preload): ScriptOutput {
  const language = script === 'typescript.js' ? { PULUMI_NODEJS_TYPESCRIPT: 'true' } : {}
  const { status, stdout, stderr } = spawnSync(process.execPath, [...args, script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...language, ...env },
  })
  return { status, stdout, stderr }
}

interface CollectedTraces {
  readonly traces: readonly string[]
  /** How many frames source-map-support copied for a repeated trace. */
  readonly copiedFrames: number
}

function collectTraces(script: string, preloadOptions: Preload = noPreload): CollectedTraces {
  const { status, stdout, stderr } = runScript(script, preloadOptions)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout) as CollectedTraces
}

describe('Preloaded module', () => {
  test.each(['plain.js', 'typescript.js', 'reloading.js', 'forgetting.js'])(
    'does not change a trace or a setting of %s',
    script => {
      const expected = collectTraces(script)
      expect(expected.traces.length).toBeGreaterThan(200)
      expect(expected.traces.join('\n')).toContain('/inline.ts:')
      expect(collectTraces(script, preload).traces).toEqual(expected.traces)
    },
  )

  test.each(['plain.js', 'typescript.js'])(
    'lets source-map-support map a frame of %s once',
    script => {
      expect(collectTraces(script).copiedFrames).toBeGreaterThan(0)
      expect(collectTraces(script, preload).copiedFrames).toBe(0)
    },
  )

  test('changes source-map-support only once, even if Node preloads the module twice', () => {
    const expected = collectTraces('plain.js', preload)
    const { args, env } = preload
    expect(collectTraces('plain.js', { args: [...args, ...args], env })).toEqual(expected)
  })

  test('does not change the output of an uncaught error', () => {
    const expected = runScript('failing.js', noPreload)
    expect(expected).toMatchObject({ status: 1, stderr: expect.stringContaining('inline.ts') })
    expect(runScript('failing.js', preload)).toEqual(expected)
  })

  test('stores compiled code, and does not change the traces when Node reads that code', () => {
    const compiledFolder = join(folder, 'compiled')
    const storingPreload = createPreload({ ...defaults, compiledFolder })
    const expected = collectTraces('typescript.js').traces
    expect(collectTraces('typescript.js', storingPreload).traces).toEqual(expected)
    const [version = ''] = readdirSync(compiledFolder)
    const files = readdirSync(join(compiledFolder, version))
    expect(files.length).toBeGreaterThan(10)
    expect(collectTraces('typescript.js', storingPreload).traces).toEqual(expected)
    expect(readdirSync(join(compiledFolder, version)).toSorted()).toEqual(files.toSorted())
  })

  test('defers the trace of a promise to its first read, and does not change the trace', () => {
    const expected = runScript('promises.js', noPreload)
    expect(expected).toMatchObject({ status: 0, stdout: expect.stringContaining('new Collector') })
    expect(runScript('promises.js', preload)).toEqual(expected)
  })

  test('lets the SDK load arborist at its first use', () => {
    const outputs = [noPreload, preload].map(options => {
      const { stdout, stderr } = runScript('serializing.js', options)
      expect(stderr).toBe('')
      return JSON.parse(stdout) as readonly unknown[]
    })
    const [[wasLoaded, ...expected] = [], [isLoadedAtOnce, ...actual] = []] = outputs
    expect([wasLoaded, isLoadedAtOnce]).toEqual([true, false])
    expect(expected).toEqual([
      expect.stringContaining('serializing-program.js:3:'),
      false,
      expect.arrayContaining(['node_modules/source-map-support']),
      true,
    ])
    expect(actual).toEqual(expected)
  })

  test('lets the SDK drop debug messages, unless they are requested', () => {
    const { env } = createPreload({ ...defaults, env: { ANTICHAIN_REMEMBER_FRAMES: '0' } })
    const { args } = preload
    const cases: readonly (readonly [string, Preload, string])[] = [
      ['logging.js', noPreload, '0,1,0'],
      ['logging.js', createPreload({ ...defaults, debug: true }), '0,1,0'],
      ['logging.js', preload, '1'],
      ['logging.js', { args, env }, '1'],
      // The program has begun before the SDK is read, so nothing is changed.
      ['late.js', preload, '0,1,0'],
    ]
    for (const [script, preloadOptions, severities] of cases)
      expect([script, runScript(script, preloadOptions).stdout]).toEqual([
        script,
        `${severities}\n`,
      ])
  })

  test('without settings does nothing', () => {
    const { args } = preload
    expect(collectTraces('plain.js', { args, env: {} })).toEqual(collectTraces('plain.js'))
  })
})

describe('Settings of the preloaded module', () => {
  const settingsOf = (
    env: Readonly<Record<string, string>>,
    {
      nodeArgs = [],
      debug = false,
    }: { readonly nodeArgs?: string[]; readonly debug?: boolean } = {},
  ): unknown => {
    const { args, env: addedEnv } = createPreload({
      env,
      nodeArgs,
      compiledFolder: '/compiled',
      checkedFolder: '/checked',
      debug,
    })
    expect(args).toHaveLength(addedEnv['ANTICHAIN_PRELOAD'] === undefined ? 0 : 1)
    return addedEnv['ANTICHAIN_PRELOAD'] === undefined
      ? undefined
      : JSON.parse(addedEnv['ANTICHAIN_PRELOAD'])
  }

  test('turn off remembered frames when the user sets ANTICHAIN_REMEMBER_FRAMES to 0 or False', () => {
    const compiledFolder = '/compiled'
    const otherSettings = { compiledFolder, checkedFolder: '/checked', dropsDebugMessages: true }
    expect(settingsOf({})).toEqual({ remembersFrames: true, ...otherSettings })
    for (const text of ['0', 'False'])
      expect(settingsOf({ ANTICHAIN_REMEMBER_FRAMES: text })).toEqual({
        remembersFrames: false,
        ...otherSettings,
      })
  })

  test('leave compiled code to the variables of Node that the user set', () => {
    for (const name of ['NODE_COMPILE_CACHE', 'NODE_DISABLE_COMPILE_CACHE', 'NODE_V8_COVERAGE']) {
      const env = { [name]: '1' }
      const otherSettings = { checkedFolder: '/checked', dropsDebugMessages: true }
      expect(settingsOf(env)).toEqual({ remembersFrames: true, ...otherSettings })
      const noFrames = { ...env, ANTICHAIN_REMEMBER_FRAMES: '0' }
      expect(settingsOf(noFrames)).toEqual({ remembersFrames: false, ...otherSettings })
    }
  })

  test('are absent if Node restricts files', () => {
    const nodeArgs = ['--permission', '--allow-fs-read=*']
    expect(settingsOf({}, { nodeArgs })).toBeUndefined()
    expect(settingsOf({ NODE_OPTIONS: '--permission' })).toBeUndefined()
  })

  test('turn off the cache of ts-node if Node restricts files, unless the user decides', () => {
    const nodeArgs = ['--permission']
    const variablesOf = (env: Readonly<Record<string, string>>): unknown =>
      createPreload({ ...defaults, env, nodeArgs }).env
    expect(variablesOf({})).toEqual({ TS_NODE_CACHE: 'false' })
    expect(variablesOf({ TS_NODE_CACHE: 'true' })).toEqual({})
    expect(variablesOf({ PULUMI_NODEJS_TRANSPILE_ONLY: 'true' })).toEqual({})
  })
})
