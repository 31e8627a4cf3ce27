import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPreloadArguments } from './preload-arguments.ts'

const fixtures = resolve(import.meta.dirname, '../../../test/fixtures')
const preloadArguments = createPreloadArguments({}, [])
let folder = ''

/** A program in TypeScript. Its compressed code has other names, which only its source map has. */
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

/** Writes a program that installs source-map-support as the SDK does, and then runs `last`. */
function writeMain(name: string, packages: readonly string[], last: string): void {
  const lines = packages.map(text => `require(${text})`)
  writeFileSync(join(folder, name), `${[...lines, last].join('\n')}\n`)
}

const register = `'source-map-support/register'`
const tsNode = `'./node_modules/@pulumi/pulumi/vendor/ts-node@7.0.1').register({ compiler: 'typescript' }`
const collect = `const modules = [require('./inline.js'), require('./external.js')]
require('./collect-traces.js').collectTraces(modules).then(result => console.log(JSON.stringify(result)))`

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'antichain-traces-')))
  cpSync(join(fixtures, 'programs/traces'), folder, { recursive: true })
  symlinkSync(join(fixtures, 'sdk/node_modules'), join(folder, 'node_modules'))
  writeMapped('inline', 'inline')
  writeMapped('external', 'external')
  writeMain('plain.js', [register], collect)
  writeMain('typescript.js', [register, tsNode], collect)
  writeMain(
    'reloading.js',
    [register],
    `require('source-map-support').install({ hookRequire: true })\n${collect}`,
  )
  writeMain(
    'forgetting.js',
    [register],
    `require('source-map-support').install({ emptyCacheBetweenOperations: true })\n${collect}`,
  )
  writeMain('failing.js', [register], `require('./inline.js').run(() => { throw new Error('x') })`)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface ScriptOutput {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function runScript(args: readonly string[]): ScriptOutput {
  const isTypescript = args.includes('typescript.js')
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    encoding: 'utf8',
    env: isTypescript ? { PULUMI_NODEJS_TYPESCRIPT: 'true' } : {},
  })
  return { status, stdout, stderr }
}

interface Collected {
  readonly traces: readonly string[]
  readonly copiedFrames: number
}

function collectTraces(args: readonly string[]): Collected {
  const { status, stdout, stderr } = runScript(args)
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  return JSON.parse(stdout) as Collected
}

describe('Preloaded module', () => {
  test.each(['plain.js', 'typescript.js', 'reloading.js', 'forgetting.js'])(
    'leaves every trace and setting of %s as it is without it',
    script => {
      const expected = collectTraces([script])
      const actual = collectTraces([...preloadArguments, script])
      expect(expected.traces.length).toBeGreaterThan(200)
      expect(expected.traces.join('\n')).toContain('/inline.ts:')
      expect(actual.traces).toEqual(expected.traces)
    },
  )

  test.each(['plain.js', 'typescript.js'])(
    'lets source-map-support map a frame of %s once',
    script => {
      expect(collectTraces([script]).copiedFrames).toBeGreaterThan(0)
      expect(collectTraces([...preloadArguments, script]).copiedFrames).toBe(0)
    },
  )

  test('changes source-map-support once when it is loaded twice', () => {
    const expected = collectTraces([...preloadArguments, 'plain.js'])
    expect(collectTraces([...preloadArguments, ...preloadArguments, 'plain.js'])).toEqual(expected)
  })

  test('leaves the output of an uncaught error as it is without it', () => {
    const expected = runScript(['failing.js'])
    expect(expected).toMatchObject({ status: 1, stderr: expect.stringContaining('inline.ts') })
    expect(runScript([...preloadArguments, 'failing.js'])).toEqual(expected)
  })
})

describe('Arguments for the preloaded module', () => {
  test('are absent if the user turned it off, or if Node restricts files', () => {
    expect(createPreloadArguments({ ANTICHAIN_REMEMBER_FRAMES: '1' }, [])).toHaveLength(1)
    expect(createPreloadArguments({ ANTICHAIN_REMEMBER_FRAMES: '0' }, [])).toEqual([])
    expect(createPreloadArguments({ ANTICHAIN_REMEMBER_FRAMES: 'False' }, [])).toEqual([])
    expect(createPreloadArguments({}, ['--permission', '--allow-fs-read=*'])).toEqual([])
    expect(createPreloadArguments({ NODE_OPTIONS: '--permission' }, [])).toEqual([])
  })
})
