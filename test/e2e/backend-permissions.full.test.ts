/** Real processes on a backend: two at the same time, and one without permissions. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectRefused } from './expect-refused.ts'
import { parseExport, upArgs } from './exported-state.ts'
import {
  type CommandOptions,
  type CommandOutput,
  createSandbox,
  launcher,
  requireSuccess,
  type RunningCommand,
  type Sandbox,
} from './sandbox.ts'

let sandbox: Sandbox
let backend: string

beforeEach(async () => {
  sandbox = createSandbox('small')
  backend = join(sandbox.home, '../backend')
  mkdirSync(backend)
  requireSuccess(await start(['stack', 'init', 'dev']).done)
})

afterEach(() => {
  changeModes(backend, { folders: 0o700, files: 0o600 })
  changeModes(sandbox.program, { folders: 0o700, files: 0o600 })
  sandbox.remove()
})

/** Starts a command on the backend. */
function start(args: readonly string[], env: CommandOptions['env'] = {}): RunningCommand {
  return sandbox.start(args, { env: { PULUMI_BACKEND_URL: `file://${backend}`, ...env } })
}

/** Runs a command whose process may write only where the modes allow it, also for root. */
function runUnprivileged(args: readonly string[]): Promise<CommandOutput> {
  const env = { PULUMI_BACKEND_URL: `file://${backend}` }
  if (process.getuid?.() !== 0) return sandbox.run(args, { env })
  return sandbox.run(['--bounding-set=-all', launcher, ...args], { env, command: 'setpriv' })
}

function listPaths(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => !entry.isSymbolicLink() && !entry.parentPath.includes('node_modules'))
    .map(entry => join(entry.parentPath, entry.name))
}

/** Changes the modes of a folder and of all folders and files below. */
function changeModes(
  folder: string,
  modes: { readonly folders: number; readonly files: number },
): void {
  for (const path of [folder, ...listPaths(folder)])
    chmodSync(path, statSync(path).isDirectory() ? modes.folders : modes.files)
}

/** Returns the contents of the files below a folder, by path. */
function readFiles(folder: string): Readonly<Record<string, string>> {
  const paths = listPaths(folder).filter(path => statSync(path).isFile())
  return Object.fromEntries(paths.map(path => [path, readFileSync(path, 'utf8')]))
}

test('two processes with stores of their own never both deploy a stack of a backend', async () => {
  const other = { ANTICHAIN_HOME: join(sandbox.home, '../other-home') }
  const results = await Promise.all([start(upArgs).done, start(upArgs, other).done])
  const [refused, ...others] = results.filter(({ exit }) => exit !== 0)
  // Both may fail, if each has seen the lock of the other one.
  for (const result of [...(refused === undefined ? [] : [refused]), ...others])
    expectRefused(result, 'BACKEND_LOCKED', [/locked by .* \(process \d+\) since .*, \d+ s ago: /])
  requireSuccess(await start(upArgs).done)
  const { out } = requireSuccess(await start(['stack', 'export', '-s', 'dev'], other).done)
  const ids = parseExport(out).resources.map(({ id }) => id)
  for (const { id } of sandbox.listObjects()) expect(ids).toContain(id)
  expect(sandbox.listCalls().filter(({ call }) => call === 'create')).toHaveLength(1)
})

test('a process that may not write to the backend changes nothing, and calls no provider', async () => {
  const before = readFiles(backend)
  changeModes(backend, { folders: 0o500, files: 0o400 })
  for (const args of [upArgs, ['stack', 'init', 'prod'], ['stack', 'rm', 'dev', '--yes']])
    expectRefused(await runUnprivileged(args), 'BACKEND_DENIED', [
      `cannot write ${backend}/.pulumi/`,
      'Grant this process',
    ])
  expect(readFiles(backend)).toEqual(before)
  expect(sandbox.listCalls()).toEqual([])
  expect(requireSuccess(await runUnprivileged(['stack', 'ls'])).out).toMatch(/^dev/m)
})

test('a process that may not write the stack file keeps it and names it', async () => {
  const before = readFiles(sandbox.program)
  changeModes(sandbox.program, { folders: 0o500, files: 0o400 })
  const file = join(sandbox.program, 'Pulumi.dev.yaml')
  const result = await runUnprivileged(['config', 'set', 'key', 'value', '-s', 'dev'])
  expectRefused(result, 'FILE_UNWRITABLE', [`cannot write ${file}: `, 'permissions of its folder'])
  expect(readFiles(sandbox.program)).toEqual(before)
})
