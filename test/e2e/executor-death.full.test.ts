import { expect, test } from 'vitest'
import { createSandbox, waitUntil } from './sandbox.ts'
import { initDevStack, findLostObjects, readStackState, upArgs } from './exported-state.ts'

test('when an executor dies in a create, all resources that do not depend on it are still created', async () => {
  const sandbox = createSandbox('many')
  try {
    await initDevStack(sandbox)
    const env = { COUNT: '8', DELAY: '5000', GOLD_ASKED: '1' }
    const serving = [0, 1].map(() => sandbox.start(['serve', '--only', 'executor'], { env }))
    const running = sandbox.start([...upArgs, '--execute', 'elsewhere', '-p', '2'], { env })
    await waitUntil(() => sandbox.listChanges().length >= 2, { condition: 'two creates' })
    const [dying, other] = serving
    dying?.kill('SIGKILL', 'group')
    const next = sandbox.start(['serve', '--only', 'executor'], { env })
    const result = await running.done
    for (const one of [other, next]) one?.kill('SIGINT', 'group')
    await Promise.all([other?.done, next.done])
    const state = await readStackState(sandbox)
    const pending = new Set(state.pending.map(({ name }) => name))
    expect(result.exit === 0).toBe(pending.size === 0)
    // Every fifth resource depends on the previous one, so thing-4 needs thing-3.
    const isBlocked = (name: string): boolean => name === 'thing-4' && pending.has('thing-3')
    const stateNames = state.resources
      .map(({ name }) => name)
      .filter(name => name.startsWith('thing-'))
    const names = Array.from({ length: 8 }, (_none, index) => `thing-${index}`)
    expect(stateNames.sort()).toEqual(names.filter(name => !pending.has(name) && !isBlocked(name)))
    expect(findLostObjects(sandbox, state)).toEqual([])
  } finally {
    sandbox.remove()
  }
}, 300_000)
