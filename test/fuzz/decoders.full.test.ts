import { expect, test } from 'vitest'
import { listTargetNames } from './read-corpus.ts'
import { runFuzz } from './run-fuzz.ts'

const isNight = process.env['ANTICHAIN_TIER'] === 'nightly'
/**
 * The numbers of inputs by decoder: in the full tier, and in each night. Decoders with a store, a
 * server or files have the fewest. Most of them take several milliseconds per input.
 */
const inputCounts: Readonly<Record<string, readonly [number, number]>> = {
  archives: [100, 20_000],
  'api-bodies': [300, 50_000],
  'service-bodies': [300, 50_000],
  states: [500, 100_000],
  'api-queries': [300, 30_000],
  environments: [300, 30_000],
  'identity-tokens': [300, 30_000],
  'key-service-replies': [200, 20_000],
  'package-schemas': [200, 10_000],
  'service-updates': [200, 10_000],
  'terraform-answers': [300, 30_000],
  'terraform-files': [500, 30_000],
}
const otherCounts = [1_000, 100_000] as const
const dayMs = 86_400_000
/** Each night has a seed of its own, and therefore other inputs. */
const seed = isNight ? Math.floor(Date.now() / dayMs) : 1

test.each(listTargetNames())('mutated inputs of %s are decoded or refused', async name => {
  const counts = inputCounts[name] ?? otherCounts
  const report = await runFuzz({ decoder: name, seed, from: 0, count: counts[isNight ? 1 : 0] })
  const defects = report.defects.map(
    ({ index, problem }) =>
      `npm run fuzz -- --decoder ${name} --seed ${seed} --from ${index} --inputs 1\n${problem}`,
  )
  expect(defects).toEqual([])
  expect(report.acceptedCount).toBeGreaterThan(0)
})
