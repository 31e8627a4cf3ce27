import { expect, test } from 'vitest'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'
import { createSandbox, requireSuccess, waitUntil } from './sandbox.ts'

const secret = 'swordfish-7f3a'
const withDevStack = (...args: string[]): string[] => [...args, '-s', 'dev']

interface DiffJson {
  readonly from: string
  readonly to: string
  readonly sameCount: number
  readonly changes: readonly {
    readonly op: string
    readonly urn: string
    readonly properties: readonly { readonly path: string; readonly op: string }[]
  }[]
}

test('stack diff shows changes by resource and property without secrets, for versions and moments', async () => {
  const sandbox = createSandbox('shop')
  try {
    await initDevStack(sandbox)
    requireSuccess(await sandbox.run(withDevStack('config', 'set', '--secret', 'password', secret)))
    requireSuccess(await sandbox.run(upArgs))
    requireSuccess(await sandbox.run(upArgs, { env: { STEP: '2' } }))
    const diff = requireSuccess(await sandbox.run(withDevStack('stack', 'diff')))
    expect(diff.out).toMatch(/^\+ urn:pulumi:dev::\S+::new \(id new-1\)$/m)
    expect(diff.out).toMatch(/^- urn:pulumi:dev::\S+::old \(id old-1\)$/m)
    expect(diff.out).toMatch(/^ {4}~ id: "server-1" => "server-2"$/m)
    expect(diff.out).toMatch(/^Resources: 1 added, \d+ changed, 1 removed, \d+ unchanged$/m)
    expect(diff.out).not.toContain(secret)
    const json = requireSuccess(
      await sandbox.run(withDevStack('stack', 'diff', '1', '2', '--json')),
    ).out
    const parsed = JSON.parse(json) as DiffJson
    expect(parsed).toMatchObject({ from: '1', to: '2' })
    expect(parsed.changes.map(({ op }) => op).sort()).toContain('remove')
    const back = requireSuccess(await sandbox.run(withDevStack('stack', 'diff', '1:0', '1'))).out
    expect(back).toContain('Resources: ')
    const unknown = await sandbox.run(withDevStack('stack', 'diff', '7', '8'))
    expect(unknown).toMatchObject({ exit: 1 })
    expect(unknown.err).toContain(
      'error[MOMENT_UNKNOWN]: the stack has no version 7; its newest is 2',
    )
    const malformed = await sandbox.run(withDevStack('stack', 'diff', 'yesterday'))
    expect(malformed.err).toContain("error[CLI_USAGE]: 'yesterday' is neither a version")
    // A refresh may encrypt secrets again, but their plaintexts are equal.
    requireSuccess(
      await sandbox.run(withDevStack('refresh', '--yes', '--skip-preview'), { env: { STEP: '2' } }),
    )
    const secondDiff = requireSuccess(
      await sandbox.run(withDevStack('stack', 'diff', '2', '3')),
    ).out
    expect(secondDiff).not.toContain('[secret]')
    // Versions from before a rename are compared under the current name.
    requireSuccess(await sandbox.run(['stack', 'rename', 'renamed', '-s', 'dev']))
    const renamed = requireSuccess(await sandbox.run(['stack', 'diff', '3', '-s', 'renamed'])).out
    expect(renamed).toMatch(/^Resources: 0 added, 0 changed, 0 removed/m)
    const absent = await sandbox.run(['stack', 'export', '--version', '99', '-s', 'renamed'])
    expect(absent.err).toContain('error[MOMENT_UNKNOWN]')
  } finally {
    sandbox.remove()
  }
})

test('rollback and undo publish an earlier state as a new version, and the next up adapts the objects', async () => {
  const sandbox = createSandbox('many')
  const deployCount = (count: number) =>
    sandbox.run(upArgs, { env: { COUNT: String(count), DELAY: '0' } })
  try {
    await initDevStack(sandbox)
    requireSuccess(await deployCount(3))
    requireSuccess(await deployCount(5))
    const refused = await sandbox.run(withDevStack('stack', 'rollback', '--to', '1'))
    expect(refused.exit).not.toBe(0)
    expect(refused.err).toContain('--yes must be passed in')
    const rolledBack = requireSuccess(
      await sandbox.run(withDevStack('stack', 'rollback', '--to', '1', '--yes')),
    )
    expect(rolledBack.err).toContain('becomes that of version 1, as a new version')
    expect(rolledBack.err).toContain('Version 3 has the state of version 1.')
    expect(rolledBack.err).toContain('Resources: 0 added, 0 changed, 2 removed')
    expect(sandbox.listObjects()).toHaveLength(5)
    const listThings = async () =>
      (await readStackState(sandbox)).resources
        .map(({ name }) => name)
        .filter(name => name.startsWith('thing-'))
    expect(await listThings()).toEqual(['thing-0', 'thing-1', 'thing-2'])
    requireSuccess(await sandbox.run(withDevStack('state', 'undo', '--yes')))
    expect(await listThings()).toHaveLength(5)
    requireSuccess(await deployCount(3))
    expect(sandbox.listObjects()).toHaveLength(3)
    const history = requireSuccess(
      await sandbox.run(withDevStack('stack', 'history', '--json')),
    ).out
    const records = JSON.parse(history) as { version: number; message: string; kind: string }[]
    expect(records.map(({ version }) => version)).toEqual([5, 4, 3, 2, 1])
    expect(records[2]).toMatchObject({ kind: 'state', message: 'Rolled back to version 1' })
    const same = requireSuccess(
      await sandbox.run(withDevStack('stack', 'rollback', '--to', '5', '--yes')),
    )
    expect(same.err).toContain('nothing was changed')
    const unknown = await sandbox.run(withDevStack('stack', 'rollback', '--to', '9', '--yes'))
    expect(unknown.err).toContain('error[MOMENT_UNKNOWN]: ')
  } finally {
    sandbox.remove()
  }
})

test('rollback is refused while a deployment runs', async () => {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    requireSuccess(await sandbox.run(upArgs, { env: { COUNT: '2', DELAY: '0' } }))
    requireSuccess(await sandbox.run(upArgs, { env: { COUNT: '3', DELAY: '0' } }))
    sandbox.setFaults({ 'hang-create:thing-3': 1 })
    // With GOLD_ASKED, the provider also records requests that it has not answered.
    const running = sandbox.start(upArgs, { env: { COUNT: '4', DELAY: '0', GOLD_ASKED: '1' } })
    await waitUntil(() => sandbox.listChanges().some(({ urn }) => urn.endsWith('thing-3')), {
      condition: 'the create begins',
    })
    const refused = await sandbox.run(withDevStack('stack', 'rollback', '--to', '1', '--yes'))
    expect(refused.exit).not.toBe(0)
    expect(refused.err).toContain('error[STACK_BUSY]: ')
    running.kill('SIGKILL', 'group')
    await running.done
  } finally {
    sandbox.remove()
  }
})
