import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'

const fixtures = join(import.meta.dirname, '../fixtures')
const sdkModules = join(fixtures, 'sdk/node_modules')

/** A correct program with one resource. The tests change single files, which causes type errors. */
const programFiles: Readonly<Record<string, string>> = {
  'Pulumi.yaml':
    'name: checks\nruntime: { name: nodejs, options: { nodeargs: --require=./spy.cjs } }\n',
  'package.json': '{ "name": "checks", "private": true }',
  'package-lock.json': '{ "lockfileVersion": 3 }',
  'tsconfig.json': '{ "extends": "./base.json", "files": ["index.ts"] }',
  'base.json':
    '{ "compilerOptions": { "strict": false, "target": "es2022", "module": "nodenext", "skipLibCheck": true } }',
  'index.ts': `import * as pulumi from '@pulumi/pulumi'
import { createInputs } from './inputs'
import { region } from 'regions'

class Thing extends pulumi.CustomResource {
  constructor(name: string, props: pulumi.Inputs) {
    super('gold:index:Thing', name, props)
  }
}
function nameOf(suffix) { return 'thing-' + suffix }
const value: number = createInputs().value
const place: string = region
new Thing(nameOf(place), { value })
`,
  'inputs.ts': 'export const createInputs = () => ({ value: 1 })\n',
  'node_modules/regions/package.json': '{ "name": "regions", "version": "1.0.0" }',
  'node_modules/regions/index.js': `exports.region = 'north'`,
  'node_modules/regions/index.d.ts': 'export declare const region: string',
  // Node loads this module first. It writes the name of each module whose types are checked.
  'spy.cjs': `const Module = require('node:module')
const load = Module._load
let spied
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest)
  return request === 'typescript' ? (spied ??= spyOn(loaded)) : loaded
}
function spyOn(ts) {
  const createLanguageService = host => {
    const service = ts.createLanguageService(host)
    const getSemanticDiagnostics = file => {
      require('node:fs').appendFileSync('checked.txt', require('node:path').basename(file) + '\\n')
      return service.getSemanticDiagnostics(file)
    }
    return { ...service, getSemanticDiagnostics }
  }
  return Object.create(ts, { createLanguageService: { value: createLanguageService } })
}
`,
}

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = createSandbox(undefined, { sdk: false, files: programFiles })
  for (const name of readdirSync(sdkModules))
    symlinkSync(join(sdkModules, name), join(sandbox.program, 'node_modules', name))
  await initDevStack(sandbox)
})
afterAll(() => sandbox.remove())

function write(path: string, text = programFiles[path] ?? ''): void {
  mkdirSync(dirname(join(sandbox.program, path)), { recursive: true })
  writeFileSync(join(sandbox.program, path), text)
}

/** Returns the modules whose types were checked since the last call. */
function takeChecked(): readonly string[] {
  const file = join(sandbox.program, 'checked.txt')
  try {
    return readFileSync(file, 'utf8').trim().split('\n')
  } catch {
    return []
  } finally {
    rmSync(file, { force: true })
  }
}

/** Expects that a deployment fails with one type error, and that it registers nothing. */
async function expectTypeError(message: string): Promise<void> {
  const callsBefore = sandbox.listCalls().length
  const { exit, out, err } = await sandbox.run(upArgs)
  expect(exit).not.toBe(0)
  expect(out + err).toContain(
    `Running program '${sandbox.program}/' failed with an unhandled exception:`,
  )
  expect(out + err).toContain(`TSError: ⨯ Unable to compile TypeScript:`)
  expect(out + err).toContain(message)
  expect(err).toContain('error[DEPLOYMENT_FAILED]: ')
  expect(sandbox.listCalls()).toHaveLength(callsBefore)
  takeChecked()
}

const readNames = async (): Promise<readonly string[]> =>
  (await readStackState(sandbox)).resources.map(({ name }) => name)

test('a type error ends each run before anything is registered', async () => {
  write('inputs.ts', `export const createInputs = () => ({ value: '1' })\n`)
  for (const _run of [1, 2]) {
    await expectTypeError(
      `index.ts(11,7): error TS2322: Type 'string' is not assignable to type 'number'.`,
    )
    expect(await readNames()).not.toContain('thing-north')
  }
  expect(sandbox.listObjects()).toEqual([])
})

test('the second run of a correct program checks no types', async () => {
  write('inputs.ts')
  requireSuccess(await sandbox.run(upArgs))
  expect(takeChecked()).toEqual(['index.ts', 'inputs.ts'])
  requireSuccess(await sandbox.run([...upArgs, '--expect-no-changes']))
  expect(takeChecked()).toEqual([])
  expect(await readNames()).toContain('thing-north')
})

test.each([
  ['another module', 'inputs.ts', `export const createInputs = () => ({ value: '2' })\n`, 'TS2322'],
  [
    'a package',
    'node_modules/regions/index.d.ts',
    'export declare const region: string | undefined | 1',
    'TS2322',
  ],
  [
    'the base of tsconfig.json',
    'base.json',
    (programFiles['base.json'] ?? '').replace('false', 'true'),
    'TS7006',
  ],
])(
  'a change of %s causes a type error in an unchanged module before anything is registered',
  async (_name, path, text, code) => {
    write(path, text)
    await expectTypeError(`): error ${code}: `)
    expect(sandbox.listObjects()).toHaveLength(1)
    write(path)
    requireSuccess(await sandbox.run([...upArgs, '--expect-no-changes']))
    takeChecked()
  },
)

test('a changed lock file causes a type check of all modules', async () => {
  write('package-lock.json', '{ "lockfileVersion": 3, "requires": true }')
  requireSuccess(await sandbox.run(upArgs))
  expect(takeChecked()).toEqual(['index.ts', 'inputs.ts'])
})
