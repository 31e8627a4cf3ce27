import { expect } from 'vitest'
import { createCloud } from './cloud.ts'
import { openEngine, type Program } from './engine.ts'
import { registerThing } from './register-thing.ts'

/** Returns a program of `count` resources with a text of `size` bytes each. */
const createTextProgram =
  (count: number, size: number, version: string): Program =>
  async monitor => {
    const names = Array.from({ length: count }, (_, index) => `large-${index}`)
    await Promise.all(
      names.map(name => registerThing(monitor, name, { text: (version + name).padEnd(size, 'x') })),
    )
  }

/** Creates, keeps, updates and deletes resources with large states, and checks each outcome. */
export async function checkLarge(count: number, size: number): Promise<void> {
  const cloud = createCloud()
  const engine = await openEngine(cloud.script)
  try {
    const createRun = await engine.run(createTextProgram(count, size, 'a'))
    expect(createRun.result).toMatchObject({ result: 'succeeded', changes: { create: count + 1 } })
    const sizes = (createRun.state.resources ?? []).map(
      ({ outputs }) => (outputs as { text?: string } | undefined)?.text?.length ?? 0,
    )
    expect(sizes.filter(length => length === size)).toHaveLength(count)
    const sameRun = await engine.run(createTextProgram(count, size, 'a'))
    expect(sameRun.result.hasChanges).toBe(false)
    const updateRun = await engine.run(createTextProgram(count, size, 'b'))
    expect(updateRun.result).toMatchObject({ result: 'succeeded', changes: { update: count } })
    const destroyRun = await engine.run(undefined, { command: 'destroy' })
    expect(destroyRun.state.resources ?? []).toEqual([])
    expect(cloud.objects.size).toBe(0)
  } finally {
    await engine.close()
  }
}
