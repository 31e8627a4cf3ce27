import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createSandbox, requireSuccess, type Sandbox } from './sandbox.ts'

/** States that the real Pulumi CLI exported; test/integration/recorded-states.test.ts names them. */
const folder = resolve(import.meta.dirname, '../fixtures/recorded-states')
/**
 * Every sixth of the states, because each one takes two commands. The second states of programs are
 * left out. So are states with pending operations, which an import drops, as Pulumi's import
 * does.
 */
const names = readdirSync(folder)
  .filter(name => !name.endsWith('-2.state') && !readState(name).includes('"pending_operations"'))
  .filter((_name, index) => index % 6 === 0)

function readState(name: string): string {
  return readFileSync(join(folder, name), 'utf8')
}

/** Returns the stack of the first URN, because a state does not name its stack elsewhere. */
function readStackName(name: string): string {
  return /"urn:pulumi:([^:"]+)::/.exec(readState(name))?.[1] ?? 'dev'
}

let sandbox: Sandbox
const run = async (...args: readonly string[]): Promise<string> =>
  requireSuccess(await sandbox.run(args, { env: { PULUMI_CONFIG_PASSPHRASE: 'golden' } })).out

beforeAll(async () => {
  sandbox = createSandbox(undefined, {
    files: { 'Pulumi.yaml': 'name: golden\nruntime: nodejs\n' },
  })
  for (const stack of new Set(names.map(readStackName))) await run('stack', 'init', stack)
})
afterAll(() => sandbox.remove())

test.each(names)(
  'the state %s of the real CLI is imported and exported without a changed byte',
  async name => {
    const text = readState(name)
    const stack = readStackName(name)
    // A stack with the key of the state keeps its ciphertexts.
    const salt = /"salt": "([^"]*)"/.exec(text)?.[1] ?? ''
    writeFileSync(join(sandbox.program, `Pulumi.${stack}.yaml`), `encryptionsalt: ${salt}\n`)
    await run('stack', 'import', '-s', stack, '--file', join(folder, name))
    expect(await run('stack', 'export', '-s', stack)).toBe(text)
  },
)
