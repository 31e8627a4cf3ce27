import { expect, test } from 'vitest'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { initDevStack, readStackState, upArgs } from './exported-state.ts'

const urnOf = (name: string): string => `urn:pulumi:dev::many::gold:index:Thing::${name}`

/**
 * Waits until the ends of these creates are recorded. After that, a kill leaves none of them
 * unknown.
 */
async function waitUntilRecorded(sandbox: Sandbox, names: readonly string[]): Promise<void> {
  for (const end = performance.now() + 20_000; performance.now() < end; ) {
    const stateNames = new Set((await readStackState(sandbox)).resources.map(({ name }) => name))
    if (names.every(name => stateNames.has(name))) return
  }
  throw new Error(`${names.join()}: not recorded within 20 s`)
}

test('a user resolves two creates with unknown results: one by import, one by clear', async () => {
  const sandbox = createSandbox('many')
  const env = { COUNT: '4', DELAY: '0' }
  try {
    await initDevStack(sandbox)
    // The first create happens but has no response; the second never happens.
    sandbox.setFaults({ 'lost-create:thing-0': 1, 'hang-create:thing-1': 1 })
    const running = sandbox.start(upArgs, { env })
    await waitUntil(() => sandbox.listObjects().length >= 3, { condition: 'three objects' })
    await waitUntilRecorded(sandbox, ['thing-2', 'thing-3'])
    running.kill('SIGKILL', 'group')
    await running.done
    sandbox.setFaults({})
    const resumed = await sandbox.run(['resume', '-s', 'dev'], { env })
    expect(resumed.exit).toBe(1)
    const listed = requireSuccess(
      await sandbox.run(['state', 'pending', 'ls', '--json', '-s', 'dev']),
    ).out
    const names = ['thing-0', 'thing-1']
    expect(JSON.parse(listed)).toEqual(names.map(name => ({ urn: urnOf(name), type: 'creating' })))
    const resolve = (...args: string[]) =>
      sandbox.run(['state', 'pending', ...args, '-y', '-s', 'dev'])
    requireSuccess(await resolve('import', urnOf('thing-0'), 'thing-0-1'))
    requireSuccess(await resolve('clear', urnOf('thing-1')))
    const repeatedClear = await resolve('clear', urnOf('thing-1'))
    expect(repeatedClear.err).toContain('error[PENDING_NOT_FOUND]: ')
    // The newest comes first: the clear, the import, and the resumed deployment.
    const history = requireSuccess(
      await sandbox.run(['stack', 'history', '--json', '-s', 'dev']),
    ).out
    expect(JSON.parse(history).map(({ result }: { result: string }) => result)).toEqual([
      'succeeded',
      'succeeded',
      'failed',
    ])
    requireSuccess(await sandbox.run(upArgs, { env }))
    const state = await readStackState(sandbox)
    expect(state.pending).toEqual([])
    const things = state.resources.filter(({ name }) => name.startsWith('thing-'))
    expect(things.map(({ id }) => id).sort()).toEqual(
      ['thing-0-1', 'thing-1-1', 'thing-2-1', 'thing-3-1'].sort(),
    )
    expect(sandbox.listObjects()).toHaveLength(4)
    requireSuccess(await sandbox.run([...upArgs, '--expect-no-changes'], { env }))
  } finally {
    sandbox.remove()
  }
})
