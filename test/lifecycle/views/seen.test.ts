/**
 * Who sees views: references, and policy packs that judge a stack. Source:
 * docs/spec/step-execution.md#views.
 */
import { afterEach, expect, test } from 'vitest'
import type { AnalyzedStackResource } from '../../../shared/providers/analyzers/analyzer.ts'
import type { Program } from '../engine.ts'
import { packOf, violating } from '../packs.ts'
import { createEngines, thing, things } from '../things.ts'
import { sceneOf, whole } from './viewed.ts'

const engines = createEngines()
afterEach(() => engines.close())
const scene = sceneOf(engines)

const view = 'urn:pulumi:dev::life::test:index:Thing$test:index:View::a-child'

/** Makes `a` and looks up its view; what is found goes to `found`. */
const looking =
  (v: string, found: unknown[]): Program =>
  async monitor => {
    const asked = (): Promise<unknown> =>
      monitor.invoke('pulumi:pulumi:getResource', { urn: view }).catch(String)
    found.push(await asked())
    await thing(monitor, 'a', { v })
    found.push(await asked())
  }

const known = (value: string) => ({ urn: view, id: '', provider: '', state: { result: value } })

test('a view is found by its URN once its owner is there: made, as it was, changed, in a preview', async () => {
  const { engine } = await scene(whole)
  for (const [v, dryRun] of [
    ['bar', true],
    ['bar', false],
    ['bar', false],
    ['baz', false],
  ] as const) {
    const found: unknown[] = []
    const ran = await engine.run(looking(v, found), dryRun ? { dryRun } : {})
    expect(ran.result.result).toBe('succeeded')
    expect(String(found[0])).toContain(`unknown resource ${view}`)
    expect(found[1]).toMatchObject(known(v))
  }
})

test('packs that judge a stack are shown its views, in previews and in updates', async () => {
  const { engine } = await scene(whole)
  const seen: (readonly AnalyzedStackResource[])[] = []
  const analyzeStack = (resources: readonly AnalyzedStackResource[]) => {
    seen.push(resources)
    return Promise.resolve(violating())
  }
  const packs = [packOf('pack', { analyzeStack })]
  await engine.run(things({ a: { v: 'bar' } }), { packs, dryRun: true })
  await engine.run(things({ a: { v: 'bar' } }), { packs })
  await engine.run(things({ a: { v: 'bar' } }), { packs, dryRun: true })
  const views = seen.map(all => all.filter(({ urn }) => urn === view))
  expect(views.map(all => all.map(({ properties }) => properties.get('result')))).toEqual([
    ['bar'],
    ['bar'],
    ['bar'],
  ])
})
