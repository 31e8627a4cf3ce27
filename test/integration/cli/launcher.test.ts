import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'

const launcher = resolve(import.meta.dirname, '../../../cli/antichain')
const configurationFiles = ['package.json', 'package-lock.json', 'tsconfig.json']
let parent = ''
let project = ''

/** Creates a minimal project. Its fake Node prints the file that it runs, and two variables. */
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'antichain-launcher-'))
  project = join(parent, 'antichain')
  for (const folder of [
    'functions',
    'local',
    'shared',
    'proto/gen',
    'cli',
    'node_modules/node/bin',
  ])
    mkdirSync(join(project, folder), { recursive: true })
  copyFileSync(launcher, join(project, 'cli/antichain'))
  const files = ['proto/gen/.stamp', 'cli/main.ts', 'shared/one.ts', ...configurationFiles]
  for (const file of files) writeFileSync(join(project, file), '')
  const printMain = 'for arg do case $arg in */main.*) echo "$arg" ;; esac; done'
  const script = `${printMain}; echo "$NODE_COMPILE_CACHE"; echo "$ANTICHAIN_USER_COMPILE_CACHE"`
  writeFileSync(join(project, 'node_modules/node/bin/node'), `#!/bin/sh\n${script}\n`, {
    mode: 0o755,
  })
})

afterEach(() => rmSync(parent, { recursive: true }))

function createBundle(): void {
  mkdirSync(join(project, '.cache/cli'), { recursive: true })
  writeFileSync(join(project, '.cache/cli/main.mjs'), '')
}

/** Waits long enough for different file times. */
const waitForNextFileTime = (): Promise<void> => setTimeout(50)

function startLauncher(env: Readonly<Record<string, string>> = {}): readonly string[] {
  const result = spawnSync(join(project, 'cli/antichain'), ['up'], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...env },
  })
  expect(result.stderr).toBe('')
  return result.stdout.split('\n').map(line => line.replace(project, ''))
}

describe('the launcher', () => {
  test('runs the sources without a bundle', () => {
    expect(startLauncher()[0]).toBe('/cli/main.ts')
  })

  test('runs the bundle if nothing is newer', async () => {
    await waitForNextFileTime()
    createBundle()
    expect(startLauncher()[0]).toBe('/.cache/cli/main.mjs')
  })

  test.each(['shared/one.ts', 'cli/two.ts', ...configurationFiles])(
    'runs the sources if %s is newer than the bundle',
    async file => {
      createBundle()
      await waitForNextFileTime()
      writeFileSync(join(project, file), '')
      expect(startLauncher()[0]).toBe('/cli/main.ts')
    },
  )

  test('runs the sources if one changed after the bundle, even with an old modification time', async () => {
    createBundle()
    await waitForNextFileTime()
    utimesSync(join(project, 'shared/one.ts'), new Date(0), new Date(0))
    expect(startLauncher()[0]).toBe('/cli/main.ts')
  })

  test('runs the sources if the command `find` is missing', async () => {
    await waitForNextFileTime()
    createBundle()
    const bin = join(project, 'bin')
    mkdirSync(bin)
    for (const name of ['dirname', 'readlink']) symlinkSync(`/usr/bin/${name}`, join(bin, name))
    expect(startLauncher({ PATH: bin })[0]).toBe('/cli/main.ts')
  })

  test('runs an installed package with the Node beside it, and keeps compiled code in the cache of the user', () => {
    const node = join(project, `../node-${process.platform}-${process.arch}/bin`)
    mkdirSync(join(project, 'dist/cli'), { recursive: true })
    writeFileSync(join(project, 'dist/cli/main.mjs'), '')
    rmSync(join(project, 'cli/main.ts'))
    mkdirSync(node, { recursive: true })
    renameSync(join(project, 'node_modules/node/bin/node'), join(node, 'node'))
    const [main, compileCache] = startLauncher({ XDG_CACHE_HOME: '/mine' })
    expect(main).toBe('/dist/cli/main.mjs')
    expect(compileCache).toBe('/mine/antichain/compiled')
  })

  test('refuses to run an installed package with an old Node', () => {
    mkdirSync(join(project, 'dist/cli'), { recursive: true })
    mkdirSync(join(project, 'bin'))
    writeFileSync(join(project, 'dist/cli/main.mjs'), '')
    writeFileSync(join(project, 'bin/node'), '#!/bin/sh\necho v22.22.0\n', { mode: 0o755 })
    const PATH = `${join(project, 'bin')}:/usr/bin:/bin`
    const result = spawnSync(join(project, 'cli/antichain'), ['up'], {
      encoding: 'utf8',
      env: { PATH },
    })
    expect(result.status).toBe(1)
    expect(result.stderr).toContain('antichain needs Node 24')
    expect(result.stderr).toContain('  hint: install Node 24')
  })

  test('starts Node with options with which V8 accepts the compiled code of Node’s modules', async () => {
    const node = join(project, 'node_modules/node/bin/node')
    writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' --expose-internals "$@"\n`)
    mkdirSync(join(project, '.cache/cli'), { recursive: true })
    await waitForNextFileTime()
    writeFileSync(
      join(project, '.cache/cli/main.mjs'),
      `import 'node:http2'
       import { createRequire } from 'node:module'
       const { internalBinding } = createRequire(import.meta.url)('internal/test/binding')
       const { compiledWithCache, compiledWithoutCache } = internalBinding('builtins').getCacheUsage()
       console.log(compiledWithCache.size, compiledWithoutCache.size)`,
    )
    const { stdout } = spawnSync(join(project, 'cli/antichain'), [], { encoding: 'utf8' })
    const [acceptedCount, rejectedCount] = stdout.trim().split(' ').map(Number)
    expect(acceptedCount).toBeGreaterThan(20)
    expect(rejectedCount).toBe(0)
  })

  test('keeps the compile cache that the user has configured for programs', () => {
    expect(startLauncher({ NODE_COMPILE_CACHE: '/mine' }).slice(1, 3)).toEqual([
      '/node_modules/.cache/compile',
      '/mine',
    ])
  })
})
