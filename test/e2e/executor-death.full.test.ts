import { expect, test } from 'vitest'
import { createPlace, waitUntil } from './place.ts'
import { initDevStack, lostObjects, readStackState, upArgs } from './exported-state.ts'

test('when an executor dies in a create, all resources that do not depend on it are still created', async () => {
  const place = createPlace('many')
  try {
    await initDevStack(place)
    const env = { COUNT: '8', DELAY: '5000', GOLD_ASKED: '1' }
    const serving = [0, 1].map(() => place.start(['serve', '--only', 'executor'], { env }))
    const running = place.start([...upArgs, '--execute', 'elsewhere', '-p', '2'], { env })
    await waitUntil(() => place.listChanges().length >= 2, { what: 'two creates' })
    const [dying, other] = serving
    dying?.kill('SIGKILL', 'group')
    const next = place.start(['serve', '--only', 'executor'], { env })
    const ran = await running.done
    for (const one of [other, next]) one?.kill('SIGINT', 'group')
    await Promise.all([other?.done, next.done])
    const state = await readStackState(place)
    const pending = new Set(state.pending.map(({ name }) => name))
    expect(ran.exit === 0).toBe(pending.size === 0)
    const isWaiting = (name: string): boolean => name === 'thing-4' && pending.has('thing-3')
    const made = state.resources.map(({ name }) => name).filter(name => name.startsWith('thing-'))
    const names = Array.from({ length: 8 }, (_none, at) => `thing-${at}`)
    expect(made.sort()).toEqual(names.filter(name => !pending.has(name) && !isWaiting(name)))
    expect(lostObjects(place, state)).toEqual([])
  } finally {
    place.remove()
  }
}, 300_000)
