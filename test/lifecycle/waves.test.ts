import { afterEach, describe, expect, test } from 'vitest'
import { type Cloud, createCloud } from './cloud.ts'
import type { Asked, Program, TestEngine } from './engine.ts'
import { Killed } from './process.ts'
import { createEngines, thing } from './things.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Waves: top-1, top-2, alone; then mid-1, mid-2; then base. */
const layers: Program = async monitor => {
  const base = await thing(monitor, 'base', { v: 1 })
  for (const at of [1, 2]) {
    const mid = await thing(monitor, `mid-${at}`, { v: 1 }, { dependencies: [base.urn] })
    await thing(monitor, `top-${at}`, { v: 1 }, { dependencies: [mid.urn] })
  }
  await thing(monitor, 'alone', { v: 1 })
}

const modes = ['dataflow', 'antichain'] as const

/** A stack of layers, in a cloud that refuses to delete `refused`. */
async function layered(refused: readonly string[]): Promise<{ cloud: Cloud; engine: TestEngine }> {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(layers)
  for (const name of refused) cloud.faults.add(`delete ${name}-1`)
  return { cloud, engine }
}

const left = (cloud: Cloud): string[] => [...cloud.objects.keys()].sort()

/** Where a delete was asked for in the order of all calls. */
const placeOf = (cloud: Cloud, name: string): number => cloud.log.indexOf(`delete ${name}-1`)

describe.each(modes)('destroy --release %s', release => {
  const destroy: Asked = { command: 'destroy', release }

  test('deletes everything, dependents first', async () => {
    const { cloud, engine } = await layered([])
    const ran = await engine.run(undefined, destroy)
    expect(ran.result.result).toBe('succeeded')
    expect(left(cloud)).toEqual([])
    expect(ran.state.resources ?? []).toEqual([])
    expect(JSON.stringify(ran.events)).toMatch(/8 deletes in \d waves \(\d/)
  })

  test('goes on after a failure with --continue-on-error, but not below it', async () => {
    const { cloud, engine } = await layered(['top-1'])
    const ran = await engine.run(undefined, { ...destroy, continueOnError: true })
    expect(ran.result.result).toBe('failed')
    expect(left(cloud)).toEqual(['base-1', 'mid-1-1', 'top-1-1'])
  })

  test('that is killed goes on where it was, over failures too', async () => {
    const asked: Asked = { ...destroy, continueOnError: true, parallel: 2 }
    const unharmed = await layered(['top-1'])
    const { effects } = await unharmed.engine.run(undefined, asked)
    for (let effect = 3; effect <= effects.length; effect += 9) {
      const { cloud, engine } = await layered(['top-1'])
      const when = effect % 2 === 0 ? 'before' : 'after'
      const killed = await engine.run(undefined, { ...asked, kill: { effect, when } }).then(
        () => undefined,
        thrown => thrown as unknown,
      )
      if (killed === undefined) continue
      expect(killed).toBeInstanceOf(Killed)
      await engine.run(undefined, { ...asked, resume: true }).catch((thrown: unknown) => {
        if ((thrown as { code?: string }).code !== 'NOTHING_TO_RESUME') throw thrown
        return engine.run(undefined, asked)
      })
      expect(left(cloud), `${when} ${effect}`).toEqual(['base-1', 'mid-1-1', 'top-1-1'])
      await engine.close()
    }
  }, 240_000)

  test('keeps a protected resource and what it needs, and deletes all else', async () => {
    const cloud = createCloud()
    const engine = await engines.of(cloud)
    await engine.run(async monitor => {
      const base = await thing(monitor, 'base', { v: 1 })
      const mid = await thing(monitor, 'mid', { v: 1 }, { dependencies: [base.urn] })
      await thing(monitor, 'kept', { v: 1 }, { dependencies: [mid.urn], protect: true })
      const root = await thing(monitor, 'root', { v: 1 })
      const leaf = await thing(monitor, 'leaf', { v: 1 }, { dependencies: [root.urn] })
      await thing(monitor, 'leaf-2', { v: 1 }, { dependencies: [leaf.urn] })
    })
    const ran = await engine.run(undefined, destroy)
    expect(ran.result.result).toBe('failed')
    expect(left(cloud)).toEqual(['base-1', 'kept-1', 'mid-1'])
    expect(JSON.stringify(ran.events)).toContain('because it is protected')
  })

  test('is told of in a preview, which deletes nothing', async () => {
    const { cloud, engine } = await layered([])
    const ran = await engine.run(undefined, { ...destroy, dryRun: true })
    expect(left(cloud)).toHaveLength(6)
    expect(JSON.stringify(ran.events)).toMatch(/8 deletes in \d waves \(\d/)
    expect(JSON.stringify(ran.events).includes('each after the one before')).toBe(
      release === 'antichain',
    )
  })
})

describe('waves', () => {
  test('wait for the whole one before', async () => {
    const { cloud, engine } = await layered(['top-1'])
    await engine.run(undefined, {
      command: 'destroy',
      release: 'antichain',
      continueOnError: true,
      parallel: 1,
    })
    for (const name of ['top-1', 'top-2', 'alone'])
      expect(placeOf(cloud, name), name).toBeLessThan(placeOf(cloud, 'mid-2'))
  })

  test('stop at one that failed, without --continue-on-error', async () => {
    const { cloud, engine } = await layered(['alone'])
    const asked: Asked = { command: 'destroy', release: 'antichain' }
    const ran = await engine.run(undefined, asked)
    expect(ran.result.result).toBe('failed')
    expect(cloud.log.filter(line => line.startsWith('delete mid'))).toEqual([])
    expect(placeOf(cloud, 'base')).toBe(-1)
    cloud.faults.clear()
    expect((await engine.run(undefined, asked)).result.result).toBe('succeeded')
    expect(left(cloud)).toEqual([])
  })

  test('are those of an up that drops resources, too', async () => {
    const { cloud, engine } = await layered([])
    const ran = await engine.run(undefined, { command: 'up', release: 'antichain' })
    expect(ran.result.result).toBe('succeeded')
    expect(left(cloud)).toEqual([])
    expect(JSON.stringify(ran.events)).toContain('each after the one before')
  })
})
