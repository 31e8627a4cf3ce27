/**
 * test/integration/bad-input: commands with damaged states, backends and secrets. Each
 * cell is one command of the real command line over a real store. It is refused with one clear
 * error, and changes nothing.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect } from 'vitest'
import type { ErrorCode } from '../../../shared/errors/catalogue.ts'
import { expectRefused } from '../../e2e/expect-refused.ts'
import { type CommandBench, createCommandBench } from '../backends/command-bench.ts'

/** A state that Pulumi's command line exported, with secrets under the passphrase `golden`. */
export const recordedExport = readFileSync(
  join(import.meta.dirname, '../../fixtures/recorded-states/3.274.1/secret-inputs.state'),
  'utf8',
)

/** The address of a port on which no server listens. */
export const closedAddress = 'http://127.0.0.1:9'

const salt = /"salt": "([^"]*)"/.exec(recordedExport)?.[1] ?? ''

/** A folder with the project `golden`, its stack file, and a self-managed backend. */
export interface BadInputBench extends CommandBench {
  /** The folder of the backend. */
  readonly backend: string
  /** Makes the following commands use the backend. */
  readonly useBackend: () => void
  /** Makes the following commands use the store of the bench, as at first. */
  readonly leaveBackend: () => void
  readonly write: (path: string, content: string | Uint8Array) => void
  /**
   * Runs a command that must be refused with the code, and returns its error output. Its output
   * contains all patterns. Afterwards all files outside of the store are as before.
   */
  readonly refuse: (
    args: readonly string[],
    code: ErrorCode,
    patterns: readonly (string | RegExp)[],
  ) => Promise<string>
  readonly remove: () => void
}

/** Creates a bench. Its backend has no stack, and is not in use. */
export function createBadInputBench(): BadInputBench {
  const bench = createCommandBench()
  const { root, env } = bench
  const write: BadInputBench['write'] = (path, content) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
  }
  Object.assign(env, { PULUMI_CONFIG_PASSPHRASE: 'golden', PULUMI_BACKEND_URL: undefined })
  write('Pulumi.yaml', 'name: golden\nruntime: yaml\n')
  write('Pulumi.dev.yaml', `encryptionsalt: ${salt}\n`)
  write('backend/.pulumi/meta.yaml', 'version: 1\n')
  const address = `file://${join(root, 'backend')}`
  return {
    ...bench,
    backend: join(root, 'backend'),
    // Without this parameter, a write adds a file with attributes to an object that has none.
    useBackend: () => Object.assign(env, { PULUMI_BACKEND_URL: `${address}?metadata=skip` }),
    leaveBackend: () => Object.assign(env, { PULUMI_BACKEND_URL: undefined }),
    write,
    refuse: async (args, code, patterns) => {
      const before = digestFiles(root)
      const result = await bench.run(...args)
      expectRefused(result, code, patterns)
      expect(digestFiles(root)).toEqual(before)
      return result.err
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** Returns the digests of all files below a folder, except for those of the store, by path. */
function digestFiles(root: string): Readonly<Record<string, string>> {
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(path => !relative(root, path).startsWith('home/'))
  return Object.fromEntries(
    paths
      .toSorted()
      .map(path => [path, createHash('sha256').update(readFileSync(path)).digest('hex')]),
  )
}

/** Writes the stack `dev` into the backend of a bench: its checkpoint, and the previous one. */
export function writeCheckpoint(bench: BadInputBench, checkpoint: string | Uint8Array): void {
  const key = 'backend/.pulumi/stacks/golden/dev.json'
  rmSync(join(bench.root, `${key}.gz`), { force: true })
  bench.write(key, checkpoint)
  bench.write(`${key}.bak`, toCheckpoint(recordedExport))
}

/** Returns the checkpoint of the stack `dev` with the state of an export. */
export function toCheckpoint(text: string): string {
  const { version, features, deployment } = JSON.parse(text)
  const checkpoint = { stack: 'organization/golden/dev', latest: deployment }
  return JSON.stringify({ version, features, checkpoint }, null, 1)
}
