/** A program in TypeScript for the tests of the memory of type checks. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { createPreload, type PreloadInput } from './preload-program.ts'

const sdk = resolve(import.meta.dirname, '../../../test/fixtures/sdk/node_modules')
const compilerOptions = {
  target: 'es2020',
  module: 'commonjs',
  moduleResolution: 'node',
  lib: ['es5'],
}

/**
 * A program that prints the cause of each check. `main.js` registers ts-node as the SDK's runner
 * does, and `compiler.js` prints the name of each module whose types are checked.
 */
export const programFiles: Readonly<Record<string, string>> = {
  'main.js': `require('source-map-support/register')
const { existsSync } = require('node:fs')
require(process.env.TS_NODE ?? '@pulumi/pulumi/vendor/ts-node@7.0.1').register({
  compiler: require.resolve('./compiler.js'),
  project: 'tsconfig.json',
  skipProject: !existsSync('tsconfig.json'),
  transpileOnly: process.env.PULUMI_NODEJS_TRANSPILE_ONLY === 'true' ? true : undefined,
  compilerOptions: ${JSON.stringify(compilerOptions)},
})
require('./index.ts')`,
  'compiler.js': `const ts = require('typescript')
const createLanguageService = host => {
  const service = ts.createLanguageService(host)
  const getSemanticDiagnostics = file => {
    console.log('checked ' + require('node:path').basename(file))
    return service.getSemanticDiagnostics(file)
  }
  return { ...service, getSemanticDiagnostics }
}
module.exports = Object.create(ts, { createLanguageService: { value: createLanguageService } })`,
  'tsconfig.json': '{ "extends": "./base.json" }',
  'base.json': '{ "compilerOptions": { "strict": false } }',
  'package-lock.json': '{}',
  'index.ts': `import { width } from './other'
import { size } from 'thing'
import { height } from './height'
declare var require: any, console: any, process: any
const sum: number = width + size + height
const isExtended: typeof globalThis extends { extension: string } ? true : false = false
function identity(value) { return value }
if (process.env.LAZY) require('./' + process.env.LAZY)
const globals = Object.getOwnPropertyNames(Function('return this')()).filter(name => /antichain/i.test(name))
console.log('registered', identity(sum), isExtended, globals.join(), process.env.TS_NODE_CACHE)`,
  'other.ts': `import { inner } from './inner'\nexport const width: number = 1 + (inner ? 1 : 0)`,
  'inner.ts': 'export const inner: boolean = true',
  'height.js': 'exports.height = 3',
  'height.d.ts': 'export declare const height: number',
  'a.ts': 'export const a: number = 1',
  'b.ts': 'export const b: number = 1',
  'node_modules/thing/package.json': '{ "name": "thing", "types": "index.d.ts" }',
  'node_modules/thing/index.js': 'exports.size = 5',
  'node_modules/thing/index.d.ts': 'export declare const size: number',
}
/** The compiled code of the compiler is kept, so that the tests are faster. */
const defaultVariables = {
  PULUMI_NODEJS_TYPESCRIPT: 'true',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
}
/** The modules of the program, in the order of their checks. */
export const allModules = ['index.ts', 'other.ts', 'inner.ts']

const registered = { lines: ['registered 10 false  undefined'], typeErrors: [] }
/** The result of a run without a check. */
export const uncheckedResult: CheckedProgramResult = { checked: [], ...registered }
/** The result of a run that checks all modules. */
export const checkedResult: CheckedProgramResult = { checked: allModules, ...registered }

/** The result of a run. */
export interface CheckedProgramResult {
  /** The modules whose types were checked, in order. */
  readonly checked: readonly string[]
  /** The other lines of the output. */
  readonly lines: readonly string[]
  /** The files and codes of type errors. */
  readonly typeErrors: readonly string[]
}

/** A program in a temporary folder. */
export interface CheckedProgram {
  readonly folder: string
  readonly checkedFolder: string
  /** The folder of the temporary files of the program. */
  readonly temporaryFolder: string
  readonly write: (path: string, text: string) => void
  /** Gives a file its first text, or removes a file that the program did not have. */
  readonly restore: (path: string) => void
  readonly run: (
    variables?: Readonly<Record<string, string>>,
    settings?: Partial<PreloadInput>,
  ) => CheckedProgramResult
  readonly remove: () => void
}

/** Writes the program to a temporary folder. */
export function createCheckedProgram(): CheckedProgram {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'antichain-checks-')))
  const [folder, checkedFolder, temporaryFolder] = ['program', 'checked', 'temporary'].map(name =>
    join(root, name),
  ) as [string, string, string]
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [path, text] of Object.entries(programFiles)) write(path, text)
  mkdirSync(temporaryFolder)
  for (const name of ['@pulumi', 'source-map-support', 'source-map', 'buffer-from', 'typescript'])
    symlinkSync(join(sdk, name), join(folder, 'node_modules', name))
  return {
    folder,
    checkedFolder,
    temporaryFolder,
    write,
    restore: path => {
      const text = programFiles[path]
      if (text === undefined) rmSync(join(folder, path))
      else write(path, text)
    },
    run: (variables = {}, settings = {}) => {
      const options = { env: variables, nodeArgs: [], compiledFolder: undefined, debug: false }
      const { args, env } = createPreload({ ...options, checkedFolder, ...settings })
      const { stdout, stderr } = spawnSync(process.execPath, [...args, 'main.js'], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...defaultVariables, TMPDIR: temporaryFolder, ...variables, ...env },
      })
      return readResult(stdout, stderr)
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

function readResult(stdout: string, stderr: string): CheckedProgramResult {
  const lines = stdout.split('\n').filter(line => line !== '')
  const result = {
    checked: lines.flatMap(line => /^checked (.*)/.exec(line)?.[1] ?? []),
    lines: lines.filter(line => !line.startsWith('checked ')),
    typeErrors: [...stderr.matchAll(/^([\w./]+)\(\d+,\d+\): error (TS\d+)/gm)].map(
      ([, file, code]) => `${file} ${code}`,
    ),
  }
  if (result.lines.length === 0 && result.typeErrors.length === 0) throw new Error(stderr)
  return result
}
